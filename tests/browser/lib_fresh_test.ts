/** The promises of `lib/platform/fresh` alone about pages in a browser. */
// Own runtime: upstream's is larger, and waits for no paint.

import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { Response } from "playwright-core";
import { browserTest, isRuntime, startVisit, visit } from "./visit.ts";

const MAX_RUNTIME_BYTES = 2.5 * 1024;

const { foyer, browser } = await startVisit();

browserTest(
  "a page's scripts are requested after it is drawn, and the runtime's is small",
  async () => {
    await using context = await browser.newContext();
    // A page with a clock of the test's own tells of no paint, and one with events would load itself again without.
    const page = await context.newPage();
    const runtimes: Response[] = [];
    page.on("response", (response) => {
      if (isRuntime(response.url())) runtimes.push(response);
    });
    await visit(page, `${foyer.origin}/docs/proxy`);
    const { paint = Infinity, script = 0 } = await page.evaluate(() => {
      const [paint] = performance.getEntriesByName("first-paint");
      const script = performance.getEntriesByType("resource").find(({ name }) =>
        name.includes("/_fresh/")
      );
      return { paint: paint?.startTime, script: script?.startTime };
    });
    assert.ok(script > paint, `${script} > ${paint}`);
    assert.equal(runtimes.length, 1);
    const bytes = gzipSync(await runtimes[0]?.body() ?? "").length;
    assert.ok(bytes < MAX_RUNTIME_BYTES, `${bytes} bytes of the runtime's script`);
  },
);
