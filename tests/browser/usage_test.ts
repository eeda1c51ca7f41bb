/** The usage page: a key is pasted, spending is seen, and the key is nowhere else. */

import assert from "node:assert/strict";
import { PATHS, SEARCH, SEARCH_PRICE, untilBooked } from "../proxy/door.ts";
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
