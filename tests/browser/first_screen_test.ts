/** The first screen of the home page belongs to events, at every size. */

import assert from "node:assert/strict";
import { browserTest, pageTest, startVisit, visit, watchPage } from "./visit.ts";

const { foyer, browser } = await startVisit();
/** A laptop, a tablet, a telephone and a small one. */
const SIZES = [[1440, 900], [1024, 768], [390, 844], [320, 640]] as const;
/** How far down the first name or logo may begin, in CSS pixels. */
const MAX_TOP = 375;

for (const javaScriptEnabled of [true, false]) {
  browserTest(
    `the first screen names an event, ${javaScriptEnabled ? "with" : "without"} a script`,
    async () => {
      for (const [width, height] of SIZES) {
        for (const colorScheme of ["light", "dark"] as const) {
          await using context = await browser.newContext({
            javaScriptEnabled,
            colorScheme,
            viewport: { width, height },
          });
          const { page } = await watchPage(context, foyer);
          if (javaScriptEnabled) await visit(page, `${foyer.origin}/`);
          else await page.goto(`${foyer.origin}/`);
          const names = await boxesOf(page.locator(".cards .card .name"));
          const logos = await boxesOf(page.locator(".cards .card:first-child .logo"));
          const what = `${width} × ${height}, ${colorScheme}`;
          const [first] = [...logos, ...names];
          assert.ok(first !== undefined && first.y <= MAX_TOP, `${what}: ${first?.y}`);
          assert.ok(first.y + first.height <= height, what);
          const posters = await boxesOf(page.locator(".cards > .card"));
          const whole = posters.filter(({ y, height }) => y + height <= 900).length;
          if (width === 1440) assert.ok(whole >= 6, `${what}: ${whole} posters`);
          for (const row of Map.groupBy(posters.slice(0, 8), ({ y }) => y).values()) {
            assert.equal(new Set(row.map(({ height }) => Math.round(height))).size, 1, what);
          }
        }
      }
    },
  );
}

pageTest("the skip link leads to the events, past the filters", {}, async (page) => {
  await visit(page, `${foyer.origin}/`);
  await page.keyboard.press("Tab");
  assert.equal(await page.locator(":focus").textContent(), "Skip to the events");
  await page.keyboard.press("Enter");
  assert.equal(new URL(page.url()).hash, "#events");
  for (const _ of Array(12)) {
    await page.keyboard.press("Tab");
    const isPoster = await page.evaluate(() => document.activeElement?.closest(".card") !== null);
    if (isPoster) return;
  }
  assert.fail("the Tab key does not lead to a poster");
});

pageTest("on a telephone the menu opens above the filters", {
  viewport: { width: 390, height: 844 },
}, async (page) => {
  // The sentence above the filters is short.
  await visit(page, `${foyer.origin}/?q=zzz`);
  await page.locator(".site-head summary").click();
  const isAbove = await page.locator(".site-head .menu > ul").evaluate((menu) => {
    const { bottom, left, width } = menu.getBoundingClientRect();
    return menu.contains(document.elementFromPoint(left + width / 2, bottom - 4));
  });
  assert.ok(isAbove);
});

/** The boxes of all elements that a locator finds, in the order of the page. */
async function boxesOf(
  locator: import("playwright-core").Locator,
): Promise<readonly { readonly y: number; readonly height: number }[]> {
  const boxes = await Promise.all(
    (await locator.all()).slice(0, 12).map((one) => one.boundingBox()),
  );
  return boxes.filter((box) => box !== null);
}
