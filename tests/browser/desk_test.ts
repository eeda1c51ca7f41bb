/** The desk in a browser: an operator looks at each page, wide, narrow and dark, and makes a change without script. */

import assert from "node:assert/strict";
import { updateAccount } from "../../lib/accounts/account.ts";
import { openSignIn } from "../members/world.ts";
import { row } from "../support/foyer.ts";
import { madeBy } from "../support/made_by.ts";
import { assertFine, browserTest, startVisit } from "./visit.ts";

const { browser } = await startVisit();

browserTest("an operator sees every page of the desk, and needs no script", async () => {
  const records = [...Array.from({ length: 12 }, () => row()), row({ "Start Date": "soon" })];
  await using world = await openSignIn({}, { isAtBaseUrl: true, records });
  const { foyer, foyer: { origin } } = world;
  await foyer.get("/api/v1/events");
  const member = await foyer.createMember(5_000_000n);
  for (let count = 0; count < 2; count++) {
    await foyer.post("/proxy/v1/websearch/search", member.key, { query: "tides" });
  }
  await foyer.services.ledger.flush();
  const ban = { banned: true, banReason: "<b>Sold</b> the key" };
  await updateAccount(foyer.kv, member.accountId, ban, madeBy(foyer.clock.now));
  await foyer.post("/proxy/v1/websearch/search", member.key, { query: "tides" });
  await foyer.services.refusals.flush();

  // The judges below need script; the second browser has none.
  await using context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${origin}/account/sign-in?for=desk`);
  await page.getByRole("button", { name: /^Olga/ }).click();
  await page.getByRole("heading", { name: "Today" }).waitFor();
  assert.equal(await page.locator("script[type=module]").count(), 0);
  for (const name of ["Today", "Events", "Setup", "Audit log"]) {
    await page.getByRole("navigation", { name: "Desk" }).getByRole("link", { name }).click();
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    await assertFine(page, name);
  }
  for (const path of ["import", member.accountId]) {
    await page.goto(`${origin}/desk/accounts/${path}`);
    await assertFine(page, path);
  }
  const storageState = await context.storageState();
  await using plain = await browser.newContext({ javaScriptEnabled: false, storageState });
  const form = await plain.newPage();
  await form.goto(`${origin}/desk/events`);
  await form.getByRole("button", { name: "Read now" }).click();
  await form.getByText("The table will be read within a minute.").waitFor();
});
