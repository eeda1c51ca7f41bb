/** The header's menu, the samples and the tables of the documents, as visitors use them. */

import assert from "node:assert/strict";
import {
  assertNotTooWide,
  browserTest,
  findings,
  startVisit,
  tabTo,
  visit,
  watchPage,
} from "./visit.ts";

const { foyer, browser } = await startVisit();
const NARROW = { width: 320, height: 640 };
const WIDE = { width: 1280, height: 900 };

browserTest(
  "without script the header's menu opens by keyboard and leads to the events and how to follow them",
  async () => {
    await using context = await browser.newContext({ javaScriptEnabled: false, viewport: NARROW });
    const { page } = await watchPage(context, foyer);
    await page.goto(`${foyer.origin}/docs`);
    const events = page.locator(".menu a[href='/']");
    assert.equal(await events.isVisible(), false);
    await page.locator(".menu > summary").focus();
    await page.keyboard.press("Enter");
    await events.waitFor();
    await assertNotTooWide(page, "the open menu");
    await tabTo(page, ".menu a[href='/follow']");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${foyer.origin}/follow`);
    // On a wide screen the menu is always open.
    await page.setViewportSize(WIDE);
    await events.waitFor();
    assert.equal(await page.locator(".menu > summary").isVisible(), false);
  },
);

browserTest(
  "in a low window the list of documents scrolls, and the keyboard reaches its end",
  async () => {
    const low = { width: 1280, height: 420 };
    await using context = await browser.newContext({ viewport: low });
    const { page } = await watchPage(context, foyer);
    await visit(page, `${foyer.origin}/usage`);
    const last = page.locator(".index a").last();
    const before = await last.boundingBox();
    assert.ok((before?.y ?? 0) > low.height, "there is something to scroll");
    assert.deepEqual(await findings(page), []);
    await last.focus();
    const { y = Infinity, height = 0 } = await last.boundingBox() ?? {};
    assert.ok(y + height < low.height, `${y}`);
    assert.ok(await page.evaluate(() => scrollY) < 100, "the page itself hardly moves");
  },
);

browserTest("no copy button covers code", async () => {
  await using context = await browser.newContext();
  const { page } = await watchPage(context, foyer);
  for (const viewport of [NARROW, WIDE]) {
    await page.setViewportSize(viewport);
    await visit(page, `${foyer.origin}/docs/events`);
    await page.locator(".copy").first().waitFor();
    const covered = await page.locator(".sample").evaluateAll((samples) =>
      samples.flatMap((sample) => {
        const button = sample.querySelector(".copy")?.getBoundingClientRect();
        const code = sample.querySelector("pre")?.getBoundingClientRect();
        if (!button || !code || button.width === 0) return [];
        return button.bottom <= code.top && button.right <= code.right + 1 ? [] : [button.bottom];
      })
    );
    assert.deepEqual(covered, []);
  }
});

browserTest(
  "on a telephone no table is cut: its rows are lists that name their columns",
  async () => {
    await using context = await browser.newContext({ viewport: NARROW });
    const { page } = await watchPage(context, foyer);
    for (
      const path of ["/docs/events", "/docs/limits", "/docs/scale", "/api/v1/docs", "/status"]
    ) {
      await page.goto(`${foyer.origin}${path}`);
      const { count, cut, bare } = await page.evaluate(() => {
        const tables = [...document.querySelectorAll<HTMLElement>("section.scroll")];
        for (const table of tables) {
          // Hidden elements are not laid out, and would seem to fit.
          table.style.contentVisibility = "visible";
          table.closest("details")?.setAttribute("open", "");
        }
        return {
          count: tables.length,
          cut: tables.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
            .map(({ textContent }) => textContent.slice(0, 60)),
          bare: [...document.querySelectorAll("tbody td")].filter((cell) =>
            cell.textContent !== "" && getComputedStyle(cell, "::before").content === "none"
          ).length,
        };
      });
      assert.ok(count > 0, path);
      await assertNotTooWide(page, path);
      assert.deepEqual([cut, bare], [[], 0], path);
    }
  },
);

browserTest(
  "on a telephone the documents begin with their text, below lines that open",
  async () => {
    await using context = await browser.newContext({ javaScriptEnabled: false, viewport: NARROW });
    const { page } = await watchPage(context, foyer);
    await page.goto(`${foyer.origin}/docs/proxy`);
    const heading = await page.locator("h1").boundingBox();
    assert.ok((heading?.y ?? Infinity) < 300, `${heading?.y}`);
    await page.locator(".index > summary").click();
    await page.locator(".index a[href='/docs/scale']").click();
    await page.waitForURL(`${foyer.origin}/docs/scale`);
  },
);
