/** The API reference: responses that a link opens, and samples to copy. */

import assert from "node:assert/strict";
import { BASE_URL } from "../support/foyer.ts";
import { browserTest, startVisit, tabTo, visit, watchPage } from "./visit.ts";

const { foyer, browser } = await startVisit();
const REFERENCE = `${foyer.origin}/api/v1/docs`;

for (const javaScriptEnabled of [true, false]) {
  browserTest(
    `${javaScriptEnabled ? "with" : "without"} script a link opens the real response in a tab`,
    async () => {
      await using context = await browser.newContext({ javaScriptEnabled });
      // Its links lead to the configured address.
      await context.route(`${BASE_URL}/**`, async (route) => {
        const address = route.request().url().replace(BASE_URL, foyer.origin);
        await route.fulfill({ response: await route.fetch({ url: address }) });
      });
      const { page, complaints } = await watchPage(context, foyer);
      await page.goto(REFERENCE);
      await page.locator("#get-api-v1-events .anchor").focus();
      await tabTo(page, "[target=_blank]");
      const [tab] = await Promise.all([context.waitForEvent("page"), page.keyboard.press("Enter")]);
      await tab.waitForURL(`${BASE_URL}/api/v1/events?status=upcoming,ongoing&limit=1`);
      const { data } = JSON.parse(await tab.locator("pre").innerText());
      assert.equal(data.length, 1);
      assert.equal(page.url(), REFERENCE);
      assert.deepEqual(complaints, []);
    },
  );
}

browserTest("the sample of an operation that needs a body is copied whole", async () => {
  await using context = await browser.newContext();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { page, complaints } = await watchPage(context, foyer);
  await visit(page, REFERENCE);
  await page.locator("#post-proxy-v1-websearch-search .anchor").focus();
  await tabTo(page, ".copy");
  await page.keyboard.press("Enter");
  await page.getByRole("status").filter({ hasText: "The code is copied." }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(
    copied.startsWith(`curl "${BASE_URL}/proxy/v1/websearch/search" \\\n  -H "Auth`),
    copied,
  );
  assert.ok(copied.endsWith("}'"), copied);
  assert.deepEqual(complaints, []);
});
