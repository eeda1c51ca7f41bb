/** The usage page: a key is pasted, spending is seen, and the key is nowhere else. */

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
import { browserTest, startVisit, visit, watchPage } from "./visit.ts";

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
  const price = `$${Number(SEARCH_PRICE) / 1e9}`;
  await page.getByRole("status").filter({ hasText: `${price} of $` }).waitFor();
  assert.match(await page.getByRole("status").filter({ hasText: "left" }).innerText(), /left\.$/);
  const table = page.getByRole("region", { name: "By endpoint, today" });
  assert.match(await table.innerText(), /search\s+1\s+\$/);
  assert.equal(await page.getByRole("img", { name: /^Spending on the last 30 days/ }).count(), 1);
  assert.ok(sent.every((url) => !url.includes(member.key)));
  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
  assert.ok(!stored.includes(member.key) && !page.url().includes(member.key));
  assert.deepEqual(complaints, []);
});

browserTest(
  "bars show what is spent and reserved of the limit, and the days beside each other",
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

browserTest("a key that is none is refused in words, and what was shown goes", async () => {
  const member = await foyer.createMember();
  await using context = await browser.newContext();
  const { page } = await watchPage(context, foyer);
  await visit(page, `${foyer.origin}/usage`);
  const field = page.getByLabel("API key");
  await field.fill(member.key);
  await field.press("Enter");
  await page.getByRole("heading", { name: "By day" }).waitFor();
  await field.fill("foyer_mistyped");
  await field.press("Enter");
  await page.getByRole("status").filter({ hasText: /key/i }).waitFor();
  assert.equal(await page.getByRole("heading", { name: "By day" }).count(), 0);
});
