/** The header's menu, the search, the samples and the tables of the documents, as visitors use them. */

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

for (const [viewport, colorScheme] of [[WIDE, "light"], [NARROW, "dark"]] as const) {
  browserTest(
    `the search answers while one types, by keyboard alone, at ${viewport.width} px`,
    async () => {
      await using context = await browser.newContext({ viewport, colorScheme });
      const { page, complaints } = await watchPage(context, foyer);
      await visit(page, `${foyer.origin}/docs/limits`);
      await tabTo(page, "#q");
      const field = page.getByRole("combobox");
      await page.keyboard.type("rate_lim");
      const options = page.getByRole("option");
      await options.first().waitFor();
      assert.equal(await field.getAttribute("aria-expanded"), "true");
      assert.match(await page.locator("search [role=status]").textContent() ?? "", /^\d+ result/);
      assert.equal(await field.getAttribute("aria-activedescendant"), null);
      await page.keyboard.press("ArrowDown");
      const chosen = await field.getAttribute("aria-activedescendant");
      assert.equal(await options.first().getAttribute("id"), chosen);
      assert.equal(await options.first().getAttribute("aria-selected"), "true");
      await assertNotTooWide(page, "with results");
      assert.deepEqual(await findings(page), []);
      // Arrow up on the first result leads back to the field, and Escape keeps the typed text.
      await page.keyboard.press("ArrowUp");
      assert.equal(await field.getAttribute("aria-activedescendant"), null);
      await page.keyboard.press("Escape");
      await options.first().waitFor({ state: "detached" });
      assert.equal(await field.inputValue(), "rate_lim");
      await page.keyboard.type("ited");
      await options.first().waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.waitForURL(`${foyer.origin}/docs/errors#rate_limited`);
      assert.deepEqual(complaints, []);
    },
  );
}

browserTest(
  "the search says when it finds nothing, and Enter in the field sends the form",
  async () => {
    await using context = await browser.newContext();
    const { page } = await watchPage(context, foyer);
    await visit(page, `${foyer.origin}/docs`);
    await page.locator("#q").focus();
    await page.keyboard.type("xyzzy");
    await page.getByText("No section contains all of these words: “xyzzy”.").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${foyer.origin}/docs?q=xyzzy`);
  },
);

browserTest("results that come after the visitor has left the field do not show", async () => {
  await using context = await browser.newContext();
  const { page } = await watchPage(context, foyer);
  await visit(page, `${foyer.origin}/docs`);
  let answer = () => {};
  const mayAnswer = new Promise<void>((resolve) => answer = resolve);
  await page.route("**/docs/search.json?*", async (route) => {
    await mayAnswer;
    // The page does not wait for it any more.
    await route.continue().catch(() => {});
  });
  await page.locator("#q").focus();
  const asked = page.waitForEvent("requestfailed");
  const sent = page.waitForRequest("**/docs/search.json?*");
  await page.keyboard.type("limit");
  await sent;
  await page.keyboard.press("Tab");
  await asked;
  answer();
  assert.equal(await page.getByRole("option").count(), 0);
});

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
