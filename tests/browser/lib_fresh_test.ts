/** What only `lib/fresh` promises of pages in a browser. */

import assert from "node:assert/strict";
import { browserTest, startVisit, visit, watchPage } from "./visit.ts";

const { foyer, browser } = await startVisit();

browserTest("a page's scripts are asked for when the page has been drawn", async () => {
  await using context = await browser.newContext();
  const { page, complaints } = await watchPage(context, foyer);
  await visit(page, `${foyer.origin}/`);
  const { paint = Infinity, script = 0 } = await page.evaluate(() => {
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    const script = performance.getEntriesByType("resource").find(({ name }) =>
      name.includes("/_fresh/")
    );
    return { paint: paint?.startTime, script: script?.startTime };
  });
  assert.ok(script > paint, `${script} > ${paint}`);
  assert.deepEqual(complaints, []);
});
