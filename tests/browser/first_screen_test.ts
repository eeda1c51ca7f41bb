/** The first screen of the home page belongs to events, at every size. */

import assert from "node:assert/strict";
import type { Route } from "playwright-core";
import { browserTest, pageTest, startVisit, visit, watchPage } from "./visit.ts";

const { foyer, browser } = await startVisit();
/** A laptop, a tablet, a telephone and a small one; and how far down the posters may begin, in CSS pixels. */
const SIZES = [[1440, 900, 240], [1024, 768, 240], [390, 844, 250], [320, 640, 295]] as const;
/** The room between title, filters, the first heading and its events. */
const ROOM = { least: 12, most: 24 };

for (const javaScriptEnabled of [true, false]) {
  browserTest(
    `the first screen names an event, ${javaScriptEnabled ? "with" : "without"} a script`,
    async () => {
      for (const [width, height, maxTop] of SIZES) {
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
          const logos = await boxesOf(page.locator(".cards .card .logo"));
          const what = `${width} × ${height}, ${colorScheme}`;
          // A card of the first row with a high logo lowers the names beside it.
          const [first] = [...logos, ...names].toSorted((a, b) => a.y - b.y);
          assert.ok(first !== undefined && first.y + first.height <= height, what);
          const parts = await boxesOf(page.locator(".hello, .filter-row, .results, .cards"));
          for (const [at, { y }] of parts.slice(0, 4).entries()) {
            const above = parts[at - 1];
            const room = above === undefined ? ROOM.least : y - above.y - above.height;
            assert.ok(room >= ROOM.least && room <= ROOM.most, `${what}: ${room} above ${at}`);
          }
          const posters = await boxesOf(page.locator(".cards > .card"));
          const top = posters[0]?.y ?? Infinity;
          assert.ok(top <= maxTop, `${what}: ${top}`);
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

pageTest(
  "a filter opens for a visitor who has just left the search, which shares its row on a telephone",
  {
    viewport: { width: 390, height: 844 },
  },
  async (page) => {
    await visit(page, `${foyer.origin}/`);
    const where = page.locator(".filters .menu", { hasText: "Where" });
    const widthOf = async () => (await page.locator("#q").boundingBox())?.width ?? 0;
    const narrow = await widthOf();
    await page.locator("#q").click();
    assert.ok(await widthOf() > 2 * narrow);
    await where.locator("summary").click();
    assert.equal(await where.getAttribute("open"), "");
  },
);

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

pageTest("a telephone shows Events and Follow in the header, and the organisation at the foot", {
  viewport: { width: 320, height: 640 },
  javaScriptEnabled: false,
}, async (page) => {
  await page.goto(`${foyer.origin}/docs`);
  for (const path of ["/", "/follow", "/account"]) {
    assert.ok(await page.locator(`.site-head nav a[href="${path}"]`).isVisible(), path);
  }
  assert.match(await page.locator(".site-foot").innerText(), /A demonstration of Foyer/);
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

browserTest(
  "a font that comes late replaces its substitute on the first visit, and nothing moves",
  async () => {
    for (const [width, height] of SIZES) {
      await using context = await browser.newContext({ viewport: { width, height } });
      const { page } = await watchPage(context, foyer);
      const { promise: held, resolve: hold } = Promise.withResolvers<Route>();
      await page.route("**/*.woff2*", hold);
      await page.goto(`${foyer.origin}/`, { waitUntil: "commit" });
      const font = await held;
      await page.locator(".card").first().waitFor();
      await page.evaluate(() =>
        new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))
      );
      await font.continue();
      const { isShown, shift } = await page.evaluate(async () => {
        await document.fonts.load("800 1em Bricolage");
        await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
        const observer = new PerformanceObserver(() => {});
        observer.observe({ type: "layout-shift", buffered: true });
        const shifts = observer.takeRecords().map((record) => Number(Reflect.get(record, "value")));
        return {
          isShown: document.fonts.check("800 1em Bricolage"),
          shift: shifts.reduce((sum, value) => sum + value, 0),
        };
      });
      assert.ok(isShown, `${width}`);
      assert.ok(shift < 0.01, `${width}: ${shift}`);
    }
  },
);
