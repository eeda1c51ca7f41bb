/** The samples and the tables of the documents, as visitors use them. */

import assert from "node:assert/strict";
import { assertNotTooWide, browserTest, NARROW, pageTest, startVisit } from "./visit.ts";

const { browser, foyer } = await startVisit();

pageTest("on a telephone no table is cut: its rows are lists that name their columns", {
  viewport: NARROW,
}, async (page) => {
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
});

pageTest("on a telephone the documents begin with their text, below lines that open", {
  javaScriptEnabled: false,
  viewport: NARROW,
}, async (page) => {
  await page.goto(`${foyer.origin}/docs/proxy`);
  const heading = await page.locator("h1").boundingBox();
  assert.ok((heading?.y ?? Infinity) < 300, `${heading?.y}`);
  await page.locator(".index > summary").click();
  await page.locator(".index a[href='/docs/scale']").click();
  await page.waitForURL(`${foyer.origin}/docs/scale`);
});

browserTest("a field with a mistake has the mistake's colour", async () => {
  await using context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${foyer.origin}/usage`);
  await page.getByLabel("API key").fill("nonsense");
  await page.locator(".usage button").click();
  const colorOf = (selector: string, name: string) =>
    page.locator(selector).evaluate(
      (it, name) => getComputedStyle(it).getPropertyValue(name),
      name,
    );
  const edge = await colorOf("[aria-invalid]", "border-top-color");
  assert.equal(edge, await colorOf(".mistake", "color"));
});
