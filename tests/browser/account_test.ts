/**
 * A member in a browser: signs in with one click, creates a key, uses it, sees the request, and deletes the account.
 */

import assert from "node:assert/strict";
import { Exa } from "exa-js";
import { untilBooked } from "../proxy/proxy.ts";
import { accountOf, openSignIn } from "../members/world.ts";
import {
  assertFine,
  browserTest,
  startVisit,
  tabTo,
  visit,
  waitForIslands,
  watchPage,
  WIDE,
} from "./visit.ts";

const { browser } = await startVisit();

/** A service as a browser sees it. The identity provider is on 127.0.0.1, another site. */
const openHere = () => openSignIn({}, { isAtBaseUrl: true });

browserTest(
  "a member signs in, creates a key, uses it, sees the request, reaches the cap, revokes the key, and deletes the account",
  async () => {
    await using world = await openHere();
    const { foyer, issuer } = world;
    await using context = await browser.newContext({ viewport: WIDE });
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: foyer.origin });
    const { page, complaints } = await watchPage(context, foyer);

    await page.goto(foyer.origin);
    await page.getByRole("link", { name: "Sign in" }).first().click();
    await page.getByRole("heading", { name: "Your account" }).waitFor();
    await assertFine(page, "account-signed-out");
    await tabTo(page, "main .plain-button");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^Ada/ }).click();
    await page.getByRole("heading", { name: "Ada" }).waitFor();
    // The header of the members' own pages says who is signed in.
    assert.equal(await page.locator(".sign-in").textContent(), "Ada");
    assert.equal(page.url(), `${foyer.origin}/account`);
    await assertFine(page, "account-new");

    await page.getByLabel("Name").fill("laptop");
    await page.getByLabel("Own daily limit, USD").fill("0.006");
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByText("shown only once").waitFor();
    await waitForIslands(page);
    await assertFine(page, "account-key");
    await page.locator(".sample").first().getByRole("button", { name: "Copy the code" }).click();
    const key = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(key, /^foyer_\w{51}$/);
    assert.ok(!page.url().includes(key));
    assert.ok((await page.locator(".tabs").first().innerText()).includes(key));

    const exa = new Exa(key, `${foyer.origin}/proxy/v1/websearch`);
    assert.equal((await exa.search("how tides work", { numResults: 3 })).results.length, 3);
    const keyId = key.slice(6, 18);
    await untilBooked(foyer, { accountId: accountOf(world), keyId, key });
    await assert.rejects(exa.search("how tides work", { numResults: 3 }), /limit/);
    await page.reload();
    assert.ok(!(await page.content()).includes(key), "it is shown once");
    await page.getByText("spent today").waitFor();
    await page.goto(`${foyer.origin}/account`);
    const requests = page.getByRole("region", { name: "Last requests" });
    assert.match(await requests.innerText(), /21 Nov, 12:00\s+search\s+\$0\.007\s+200\s+laptop\s/);
    assert.equal(await page.getByRole("img", { name: /^Spending on the last 30 days/ }).count(), 1);
    const refused = page.getByRole("region", { name: "Refused requests" });
    assert.match(
      await refused.innerText(),
      /search\s+laptop\s+The key's own daily limit was reached\s+1/,
    );
    await assertFine(page, "account");

    await page.getByRole("link", { name: "laptop" }).click();
    await page.getByText("Revoke this key…").click();
    await page.getByRole("button", { name: "Yes, revoke this key" }).click();
    const done = await page.getByText("The key is revoked.").boundingBox();
    assert.ok((done?.y ?? Infinity) < 200, "the sentence stands above the page");
    await page.getByText("Keys that no longer work").first().waitFor();
    await page.getByRole("link", { name: "Delete your account" }).click();
    await page.getByRole("link", { name: "Sign in again to continue" }).click();
    await page.getByRole("button", { name: /^Ada/ }).click();
    await page.getByRole("button", { name: "Delete my account permanently" }).waitFor();
    await assertFine(page, "account-delete");
    await page.getByRole("button", { name: "Delete my account permanently" }).click();
    await page.getByRole("heading", { name: "Your account" }).waitFor();
    assert.deepEqual(await context.cookies(foyer.origin), []);
    assert.deepEqual(complaints.filter((each) => !each.includes(issuer)), []);
  },
);

browserTest("times are in the reader's own zone, and in UTC at a click", async () => {
  await using world = await openHere();
  const { foyer } = world;
  await using context = await browser.newContext({ timezoneId: "Asia/Tokyo" });
  const { page } = await watchPage(context, foyer);
  await page.goto(`${foyer.origin}/account`);
  await page.locator("main").getByRole("link", { name: "Sign in" }).click();
  await page.getByRole("button", { name: /^Ada/ }).click();
  const sessions = page.getByRole("region", { name: "Where you are signed in" });
  await sessions.getByText("21 Nov, 21:00").waitFor();
  await page.getByRole("button", { name: "Show UTC" }).click();
  await sessions.getByText("21 Nov, 12:00").waitFor();
  await page.getByText("Times are in UTC.").waitFor();
  await page.getByRole("button", { name: "Show Asia/Tokyo" }).click();
  await sessions.getByText("21 Nov, 21:00").waitFor();
  // A browser in UTC, by whatever name, is not offered the same zone twice.
  const storageState = await context.storageState();
  for (const zone of ["UTC", "Etc/UTC", "GMT", "Etc/Greenwich", "Zulu"]) {
    await using own = await browser.newContext({ storageState });
    const { page } = await watchPage(own, foyer);
    await page.addInitScript((zone) => {
      const { resolvedOptions } = Intl.DateTimeFormat.prototype;
      Intl.DateTimeFormat.prototype.resolvedOptions = function () {
        return { ...resolvedOptions.call(this), timeZone: zone };
      };
    }, zone);
    await visit(page, `${foyer.origin}/account`);
    assert.match(await page.locator(".zone").innerText(), /^Times are in UTC\.\s*$/, zone);
    assert.equal(await page.getByRole("button", { name: /^Show / }).count(), 0, zone);
  }
});

browserTest("everything works without a script", async () => {
  await using world = await openHere();
  const { foyer } = world;
  await using context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${foyer.origin}/account`);
  await page.locator("main").getByRole("link", { name: "Sign in" }).click();
  await page.getByRole("button", { name: /^Ada/ }).click();
  await page.getByLabel("Name").fill("laptop");
  await page.getByRole("button", { name: "Create a key" }).click();
  const [key = ""] = /foyer_\w{51}/.exec(await page.locator(".sample").first().innerText()) ?? [];
  assert.notEqual(key, "");
  await page.getByLabel("Name").fill("desk");
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("heading", { name: "desk" }).waitFor();
  await page.getByRole("button", { name: "Rotate" }).click();
  await page.getByText("shown only once").waitFor();
  await page.getByRole("link", { name: "Your keys" }).click();
  assert.equal(await page.getByRole("link", { name: "desk" }).count(), 2);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.locator("main").getByRole("link", { name: "Sign in" }).click();
  await page.getByRole("button", { name: /without signing in/ }).click();
  await page.getByText("did not consent").waitFor();
  await page.getByRole("link", { name: "Go to your account" }).click();
  await page.locator("main").getByRole("link", { name: "Sign in" }).waitFor();
});
