/** The usage page: it shows the spending of a pasted key, and keeps the key nowhere. */

import assert from "node:assert/strict";
import {
  ANSWER_PRICE,
  createGate,
  PATHS,
  SEARCH,
  SEARCH_PRICE,
  STREAM,
  untilBooked,
} from "../proxy/door.ts";
import { browserTest, findings, startVisit, visit, watchPage } from "./visit.ts";

const { foyer, browser } = await startVisit();

browserTest("a pasted key shows what was spent, by keyboard, and is kept nowhere", async () => {
  const member = await foyer.createMember(2n * SEARCH_PRICE);
  await (await foyer.post(PATHS.search, member.key, SEARCH)).body?.cancel();
  await untilBooked(foyer, member);
  await using context = await browser.newContext();
  const { page, complaints } = await watchPage(context, foyer);
  const sent: string[] = [];
  page.on("request", (request) => sent.push(request.url()));
  await visit(page, `${foyer.origin}/usage`);
  await page.getByLabel("API key").focus();
  await page.keyboard.type(member.key);
  await page.keyboard.press("Enter");
  const status = page.locator(".usage [role=status]");
  await status.filter({ hasText: "left" }).waitFor();
  // The text shows cents; the tooltip and the text for screen readers have the exact amount.
  const exact = `$${Number(SEARCH_PRICE) / 1e9}`;
  const amount = status.getByTitle(exact, { exact: true }).first();
  assert.match(await amount.locator("[aria-hidden]").innerText(), /^<?\$\d+\.\d\d$/);
  assert.match(await status.ariaSnapshot(), new RegExp(`${exact.replace("$", "\\$")} of \\$`));
  const table = page.getByRole("region", { name: "By endpoint" });
  assert.match(await table.innerText(), new RegExp(`search\\s+1\\s+\\${exact}`));
  assert.equal(await page.getByRole("img", { name: /^Spending on the last 30 days/ }).count(), 1);
  assert.ok(sent.every((url) => !url.includes(member.key)));
  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
  assert.ok(!stored.includes(member.key) && !page.url().includes(member.key));
  assert.deepEqual(complaints, []);
});

browserTest(
  "bars show the spent and the reserved part of the limit, and the days beside each other",
  async () => {
    const member = await foyer.createMember(2n * SEARCH_PRICE);
    await (await foyer.post(PATHS.search, member.key, SEARCH)).body?.cancel();
    await untilBooked(foyer, member);
    using gate = createGate();
    foyer.websearch.faults.push({ kind: "stall", until: gate.opened });
    const held = await foyer.post(PATHS.answer, member.key, STREAM);
    await using context = await browser.newContext();
    const { page } = await watchPage(context, foyer);
    await visit(page, `${foyer.origin}/usage`);
    const field = page.getByLabel("API key");
    await field.fill(member.key);
    await field.press("Enter");
    await page.getByRole("status").filter({ hasText: "reserved" }).waitFor();
    const numbers = (selector: string, name: string) =>
      page.locator(`${selector} rect`).evaluateAll(
        (all, name) => all.map((each) => Math.round(Number(each.getAttribute(name)))),
        name,
      );
    const ofLimit = (amount: bigint) => Math.round(50 * Number(amount) / Number(SEARCH_PRICE));
    assert.deepEqual(await numbers(".usage-bar", "width"), [
      100,
      ofLimit(SEARCH_PRICE + ANSWER_PRICE),
      ofLimit(SEARCH_PRICE),
    ]);
    const days = Array.from({ length: 30 }, (_, day) => day);
    assert.deepEqual(await numbers(".usage .days", "x"), days.map((day) => 10 * day));
    assert.deepEqual(await numbers(".usage .days", "height"), days.map((day) => day < 29 ? 1 : 40));
    assert.deepEqual(await numbers(".usage .days", "y"), days.map((day) => day < 29 ? 39 : 0));
    gate.open();
    await held.body?.cancel();
  },
);

browserTest("an invalid key is refused in words, and the earlier figures disappear", async () => {
  const member = await foyer.createMember();
  await using context = await browser.newContext();
  const { page } = await watchPage(context, foyer);
  await visit(page, `${foyer.origin}/usage`);
  const field = page.getByLabel("API key");
  await field.fill(member.key);
  await field.press("Enter");
  await page.getByRole("heading", { name: "Last 30 days" }).waitFor();
  await field.fill("foyer_mistyped");
  await field.press("Enter");
  const status = page.getByRole("status").filter({ hasText: /key/i });
  await status.waitFor();
  assert.equal(await status.locator(".verdict.down").count(), 1);
  assert.equal(await page.getByRole("heading", { name: "Last 30 days" }).count(), 0);
  // Code in a message is drawn as code.
  const error = { message: "The key is over its limit. Ask with `GET /proxy/v1/usage`." };
  await page.route(
    "**/proxy/v1/usage?*",
    (route) => route.fulfill({ status: 402, json: { error } }),
  );
  await field.press("Enter");
  await status.locator("code").filter({ hasText: /^GET \/proxy\/v1\/usage$/ }).waitFor();
  assert.ok(!(await status.innerText()).includes("`"));
});

browserTest(
  "the bar is calm, amber from 80 %, and says until when an account is blocked",
  async () => {
    await using context = await browser.newContext({
      timezoneId: "Asia/Tokyo",
      viewport: { width: 1280, height: 900 },
    });
    const { page, complaints } = await watchPage(context, foyer);
    const day = { day: "2026-11-21", requests: 3, byEndpoint: {}, days: [] };
    const rateLimit = {
      limit: 9,
      remaining: 0,
      windowSeconds: 1_800,
      resetsAt: "2026-11-21T12:30:00Z",
    };
    let amounts = { spentUsd: 0, reservedUsd: 0, remainingUsd: 0 };
    await page.route("**/proxy/v1/usage?*", (route) =>
      route.fulfill({
        json: {
          data: { ...day, ...amounts, limitUsd: 4, resetsAt: "2026-11-22T00:00:00Z", rateLimit },
        },
      }));
    await visit(page, `${foyer.origin}/usage`);
    await page.getByLabel("API key").fill("foyer_any");
    const shown = async (spentUsd: number, reservedUsd: number) => {
      const remainingUsd = Math.max(0, 4 - spentUsd - reservedUsd);
      amounts = { spentUsd, reservedUsd, remainingUsd };
      await Promise.all([
        page.waitForResponse("**/proxy/v1/usage?*"),
        page.getByLabel("API key").press("Enter"),
      ]);
      const status = page.locator(".usage [role=status]");
      await status.filter({ hasText: "spent today" }).waitFor();
      const bar = await page.locator(".usage-bar").getAttribute("class");
      return [bar, await status.innerText()] as const;
    };
    const [calm, spent] = await shown(3.19, 0);
    assert.equal(calm, "usage-bar calm");
    assert.match(spent, /^\$0\.81 left today\s+\$3\.19 of \$4\.00 spent today\.$/);
    assert.equal((await shown(3, 0.2))[0], "usage-bar near");
    const [held, whileHeld] = await shown(3, 1);
    assert.equal(held, "usage-bar blocked");
    assert.match(
      whileHeld,
      /^Blocked until requests in progress end, at the latest until 00:00 UTC/,
    );
    const [blocked, until] = await shown(4.0001, 0);
    assert.equal(blocked, "usage-bar blocked");
    assert.match(
      until,
      /^Blocked until 00:00 UTC \(09:00, your time\)\.[^]*the people who run this site/,
    );
    assert.deepEqual(await findings(page), []);
    assert.match(
      await page.locator("main").innerText(),
      /possible at 12:30 UTC \(21:30, your time\)/,
    );
    assert.deepEqual(complaints, []);
  },
);

browserTest("parts that appear with later figures are in their places", async () => {
  await using context = await browser.newContext();
  const { page } = await watchPage(context, foyer);
  const rateLimit = {
    limit: 9,
    remaining: 9,
    windowSeconds: 1_800,
    resetsAt: "2026-11-21T12:30:00Z",
  };
  let spentUsd = 0;
  await page.route("**/proxy/v1/usage?*", (route) => {
    const each = { requests: 1, spentUsd };
    const byEndpoint = { search: each, answer: each };
    const day = { day: "2026-11-21", requests: 2, spentUsd: 2 * spentUsd, byEndpoint, days: [] };
    const limit = { limitUsd: 4, reservedUsd: 0, remainingUsd: 4 - 2 * spentUsd };
    const data = { ...day, ...limit, resetsAt: "2026-11-22T00:00:00Z", rateLimit };
    return route.fulfill({ json: { data } });
  });
  await visit(page, `${foyer.origin}/usage`);
  const parts = async (left: string) => {
    await page.getByLabel("API key").fill("foyer_any");
    await page.getByLabel("API key").press("Enter");
    await page.getByRole("status").filter({ hasText: left }).waitFor();
    return await page.locator(
      ".usage :is(form, [role=status], .usage-bar, h2, .days, table)",
    )
      .evaluateAll((all) => all.map((each) => each.classList[0] ?? each.localName));
  };
  const before = await parts("$4.00 left");
  spentUsd = 1;
  const after = await parts("$2.00 left");
  assert.deepEqual(before, ["usage-form", "div", "usage-bar", "h2", "table", "table"]);
  // Upstream Fresh would add the chart at the end of an island of several elements.
  assert.deepEqual(after, ["usage-form", "div", "usage-bar", "h2", "days", "table", "table"]);
});
