/** What islands add to pages, used by keyboard alone. */

import assert from "node:assert/strict";
import type { Page, Route } from "playwright-core";
import { browserTest, startVisit, tabTo, watchPage } from "./visit.ts";

const { foyer, browser } = await startVisit();
const SOLDERING = "/events/a-day-of-soldering";

browserTest("typing filters the programme at once, and its address follows", async () => {
  await using context = await browser.newContext();
  const { page, complaints } = await watchPage(context, foyer);
  await page.goto(`${foyer.origin}/`);
  await mark(page);
  await tabTo(page, "#q");
  await page.keyboard.type("soldering");
  await page.waitForURL(`${foyer.origin}/?q=soldering`);
  await page.getByRole("status").filter({ hasText: /^1 event$/ }).waitFor();
  assert.deepEqual(await names(page), ["A day of soldering"]);
  assert.equal(await page.locator(":focus").inputValue(), "soldering");
  assert.ok(await isMarked(page), "the page was loaded again");
  assert.deepEqual(complaints, []);
});

browserTest(
  "a choice keeps the focus, shows what its address shows, and Back takes it back",
  async () => {
    await using context = await browser.newContext();
    const { page, complaints } = await watchPage(context, foyer);
    await page.goto(`${foyer.origin}/`);
    await mark(page);
    const before = await names(page);
    await tabTo(page, ".chip[href='/?status=upcoming']");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${foyer.origin}/?status=upcoming`);
    assert.equal(await page.locator(":focus").getAttribute("href"), "/");
    assert.equal(await page.locator(":focus").getAttribute("aria-current"), "true");
    const chosen = await names(page);
    assert.notDeepEqual(chosen, before);
    await page.goBack();
    await page.locator(".chip.on").waitFor({ state: "detached" });
    assert.deepEqual(await names(page), before);
    assert.ok(await isMarked(page), "the page was loaded again");
    await page.goto(`${foyer.origin}/?status=upcoming`);
    assert.deepEqual(await names(page), chosen);
    assert.deepEqual(complaints, []);
  },
);

browserTest(
  "the field says what is shown, and what is typed is never lost on the way",
  async () => {
    await using context = await browser.newContext();
    const { page, complaints } = await watchPage(context, foyer);
    await page.goto(`${foyer.origin}/`);
    await mark(page);
    const field = page.locator("#q");
    await field.focus();
    await page.keyboard.type("soldering");
    await page.waitForURL(`${foyer.origin}/?q=soldering`);
    await page.getByText("Show everything").click();
    await page.waitForURL(`${foyer.origin}/`);
    assert.equal(await field.inputValue(), "");
    // Typed and chosen in one moment, before the letters have been asked for.
    await page.evaluate(() => {
      const field = document.querySelector<HTMLInputElement>("#q");
      if (field === null) throw new Error("no field");
      field.value = "soldering";
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      document.querySelector<HTMLElement>(".chip[href='/?status=ongoing']")?.click();
    });
    await page.waitForURL(`${foyer.origin}/?q=soldering&status=ongoing`);
    assert.equal(await field.inputValue(), "soldering");
    assert.deepEqual(await names(page), ["A day of soldering"]);
    await page.goBack();
    await page.waitForURL(`${foyer.origin}/`);
    assert.equal(await field.inputValue(), "");
    assert.ok(await isMarked(page), "the page was loaded again");
    assert.deepEqual(complaints, []);
  },
);

browserTest("a request that leaving cuts off does not lead the visitor back", async () => {
  await using context = await browser.newContext();
  const { page } = await watchPage(context, foyer);
  await page.goto(`${foyer.origin}/`);
  await mark(page);
  const { promise: held, resolve: hold } = Promise.withResolvers<Route>();
  await page.route("**/?status=ongoing&part", hold);
  await page.locator(".chip[href='/?status=ongoing']").click();
  const request = await held;
  await page.evaluate(() => dispatchEvent(new Event("pagehide")));
  await request.abort().catch(() => {});
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
  assert.ok(await isMarked(page), "the page was loaded again");
  assert.equal(page.url(), `${foyer.origin}/`);
});

browserTest("an event's state counts down in the visitor's own time", async () => {
  await using context = await browser.newContext({ timezoneId: "Asia/Tokyo" });
  const { page, complaints } = await watchPage(context, foyer);
  await page.clock.install({ time: foyer.clock.now });
  await page.goto(`${foyer.origin}${SOLDERING}`);
  const state = page.locator(".hero .state [data-ends]");
  await page.getByText("now, 36 hours left").waitFor();
  assert.equal(
    await state.getAttribute("title"),
    "Ends Monday, 23 November 2026 at 09:00, your time",
  );
  await page.clock.fastForward("34:30:00");
  assert.equal(await state.textContent(), "now, 90 minutes left");
  await page.clock.fastForward("01:30:00");
  assert.equal(await state.textContent(), "is over");
  assert.deepEqual(complaints, []);
});

browserTest("samples and addresses are copied, and that is told", async () => {
  await using context = await browser.newContext();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { page, complaints } = await watchPage(context, foyer);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.goto(`${foyer.origin}/docs/proxy`);
  await tabTo(page, ".copy");
  await page.keyboard.press("Enter");
  await page.getByRole("status").filter({ hasText: "The code is copied." }).waitFor();
  const code = await page.locator(".sample code").first().textContent();
  assert.equal(await copied(), code?.trimEnd());
  await page.goto(`${foyer.origin}${SOLDERING}`);
  await tabTo(page, "a[data-copy='/calendar.ics'] + .copy");
  await page.keyboard.press("Space");
  await page.getByRole("status").filter({ hasText: "The address is copied." }).waitFor();
  assert.equal(await copied(), `${foyer.origin}/calendar.ics`);
  assert.deepEqual(complaints, []);
});

/** The events on the page. */
function names(page: Page): Promise<string[]> {
  return page.locator("main h3").allTextContents();
}

/** What is written on a page is gone when it is loaded again. */
async function mark(page: Page): Promise<void> {
  await page.evaluate(() => document.body.dataset["marked"] = "");
}

async function isMarked(page: Page): Promise<boolean> {
  return await page.evaluate(() => "marked" in document.body.dataset);
}
