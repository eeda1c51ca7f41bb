/** A member's keys, data and departure, through the forms of the account page. */

import assert from "node:assert/strict";
import { getAccount, updateAccount } from "../../lib/accounts/account.ts";
import { getKey, listKeys, revokeKey } from "../../lib/accounts/key.ts";
import { endSessions } from "../../lib/members/sessions.ts";
import { deleteAccount } from "../../lib/accounts/owner.ts";
import { removeOldRecords } from "../../lib/operate/retention.ts";
import { readDays } from "../../lib/proxy/ledger/read.ts";
import { PATHS, SEARCH, SEARCH_PRICE, untilBooked } from "../proxy/proxy.ts";
import { find, parseHtml } from "../site/html.ts";
import { type Browser, makeKey } from "../support/sign_in_browser.ts";
import { accountOf, everythingStored, isSignedIn, openMember, openSignIn } from "./world.ts";
import { madeBy } from "../support/made_by.ts";

const HOUR = 3_600_000;
const idOf = (address: string) => address.split("/").at(-1) ?? "";
/** The values of the options that are chosen. */
const chosenIn = (page: ReturnType<typeof parseHtml>) =>
  find(page, "option").map(({ attributes }) => attributes)
    .filter((each) => "selected" in each).map((each) => each["value"]);
const seen = async (browser: Browser, path = "/account") => await (await browser.get(path)).text();

Deno.test("a key is made, shown once with working samples, used, renamed, limited, rotated and revoked", async () => {
  await using world = await openMember();
  const { ada, foyer } = world;
  const { kv, clock } = foyer;
  const status = async (key: string) => {
    const response = await foyer.post(PATHS.search, key, SEARCH);
    return [response.status, (await response.json()).code];
  };

  const { address, key, page } = await makeKey(ada, { label: "<b>laptop</b>", expires: "30" });
  const id = idOf(address);
  assert.match(page, /&lt;b>laptop&lt;\/b>|&lt;b&gt;laptop/);
  assert.ok(!(await everythingStored(world)).includes(key.slice(-38)));
  assert.equal((await getKey(kv, id))?.expiresAt, clock.now + 30 * 24 * HOUR);
  // The samples are those of the guide, whose tests run them against each official client.
  const text = page.replaceAll(/<[^>]+>/g, "").replaceAll(/&quot;|&#34;/g, '"');
  const samples = [`new Exa("${key}"`, `apiKey: "${key}"`, `Bearer ${key}`, `api_key="${key}"`];
  for (const sample of samples) assert.ok(text.includes(sample), sample);
  assert.doesNotMatch(text, /FOYER_KEY/);
  const again = await seen(ada, address);
  assert.ok(!again.includes(key), "it is shown once");
  assert.ok(!ada.cookies.has("__Host-foyer_new_key"));
  // From then on, the samples have the key's place marked.
  for (const page of [again, await seen(ada)]) {
    assert.match(page, new RegExp(`<mark>foyer_${id}_…</mark>`));
    assert.doesNotMatch(page, /FOYER_KEY/);
    assert.match(page.replaceAll(/<[^>]+>/g, ""), /new Exa\(/);
    assert.match(page, /last request of a day may pass a limit/);
  }

  assert.deepEqual(await status(key), [200, undefined]);
  await untilBooked(foyer, { accountId: accountOf(world), keyId: id, key });
  const account = await seen(ada);
  assert.match(account, />https:\/\/foyer\.example\/proxy\/v1\n/);
  assert.match(account, /href="\/docs\/proxy"/);
  assert.doesNotMatch(account, /Keys that no longer work/);
  assert.match(account, /https:\/\/foyer\.example\/mcp[^]*?Bearer <mark>foyer_/);
  assert.match(account, /search[^]*?&lt;b[^]*?200[^]*? ms/);
  assert.match(account, new RegExp(`\\$${Number(SEARCH_PRICE) / 1e9}`));

  const renamed = await ada.post(address, { action: "rename", label: " desk " });
  assert.equal(renamed.headers.get("location"), address);
  assert.equal((await getKey(kv, id))?.label, "desk");
  assert.equal((await ada.post(address, { action: "rename", label: "x".repeat(101) })).status, 400);

  await ada.post(address, { action: "limit", cap: "0.001", endpoint: "search" });
  clock.now += 5_001;
  assert.deepEqual(await status(key), [200, undefined]);
  await foyer.services.ledger.flush();
  assert.deepEqual(await status(key), [402, "spending_limit_reached"]);
  const form = await seen(ada, address);
  assert.match(form, /Own daily limit/);
  assert.deepEqual(chosenIn(parseHtml(form)), ["24"]);
  await ada.post(address, { action: "limit", cap: "", endpoint: "answer" });
  clock.now += 5_001;
  assert.deepEqual(await status(key), [403, "forbidden"]);
  await foyer.services.refusals.flush();
  const refused = (await seen(ada)).split('id="refused"')[1] ?? "";
  assert.match(refused, /search[^]*?desk[^]*?The key may not use this endpoint[^]*?>1</);
  assert.match(refused, /search[^]*?desk[^]*?The key's own daily limit was reached[^]*?>1</);
  await ada.post(address, { action: "limit", cap: "", endpoint: "search" });
  clock.now += 5_001;

  const rotated = await ada.post(address, { action: "rotate", overlap: "1" });
  const next = rotated.headers.get("location") ?? "";
  assert.notEqual(next, address);
  const [successor = ""] = /foyer_\w{51}/.exec(await seen(ada, next)) ?? [];
  assert.deepEqual(await status(key), [200, undefined]);
  assert.equal((await ada.post(address, { action: "rotate", overlap: "1" })).status, 400);
  clock.now += HOUR;
  assert.deepEqual(await status(key), [401, "unauthorized"]);
  assert.deepEqual(await status(successor), [200, undefined]);
  for (const action of ["", "explode"]) {
    assert.equal((await ada.post(next, { action })).status, 400, action);
  }
  const revoked = await ada.post(next, { action: "revoke" });
  assert.equal(revoked.headers.get("location"), "/account");
  clock.now += 5_001;
  const gone = await (await foyer.post(PATHS.search, successor, SEARCH)).json();
  assert.equal(gone.code, "unauthorized");
  assert.match(gone.hint, /create one at https:\/\/foyer\.example\/account\.$/);
  assert.match(await seen(ada), /Keys that no longer work/);
  await foyer.services.ledger.flush();
});

Deno.test("a mistake stands beside its field, with everything that was typed", async () => {
  await using world = await openMember();
  const { ada } = world;
  const typed = { action: "key", label: "desk", expires: "365", cap: "much", endpoint: "answer" };
  const { address } = await makeKey(ada);
  const formsOf = [
    ["/account", typed, "cap"],
    ["/account", { ...typed, cap: "-1" }, "cap"],
    ["/account", { ...typed, cap: "", expires: "7" }, "expires"],
    ["/account", { ...typed, cap: "", expires: "" }, "expires"],
    ["/account", { ...typed, cap: "", label: "a\u0007b" }, "label"],
    [address, { action: "limit", cap: "" }, "endpoint"],
    [address, { ...typed, action: "limit" }, "cap"],
    [address, { ...typed, action: "limit", cap: "", endpoint: "none" }, "endpoint"],
    [address, { action: "rename", label: "a\u0007b" }, "label"],
    [address, { action: "rotate", overlap: "2" }, "overlap"],
  ] as const;
  for (const [path, fields, wrong] of formsOf) {
    const response = await ada.post(path, fields);
    assert.equal(response.status, 400);
    const page = parseHtml(await response.text());
    const mistakes = find(page, "p").filter(({ attributes: { role } }) => role === "alert");
    assert.deepEqual(mistakes.map(({ attributes: { id } }) => id), [`${wrong}-mistake`], path);
    const inputs = find(page, "input").map(({ attributes }) => attributes);
    const invalid = inputs.filter((each) => "aria-invalid" in each).map((each) => each["name"]);
    assert.deepEqual(invalid, ["cap", "label"].includes(wrong) ? [wrong] : [], path);
    if (fields !== typed) continue;
    const valueOf = (name: string) => inputs.find((each) => each["name"] === name)?.["value"];
    assert.deepEqual([valueOf("label"), valueOf("cap")], ["desk", "much"]);
    const checked = inputs.filter((each) => "checked" in each && each["type"] === "checkbox");
    assert.deepEqual(checked.map((each) => each["value"]), ["answer"]);
    assert.deepEqual(chosenIn(page), ["365"]);
  }
});

Deno.test("a form whose key, session or account has ended meanwhile says so", async () => {
  await using world = await openMember();
  const { ada, foyer: { kv, clock } } = world;
  const { address } = await makeKey(ada, { label: "laptop" });
  await revokeKey(kv, idOf(address), madeBy(clock.now));
  const forms = [
    { action: "rename", label: "desk" },
    { action: "limit", cap: "much" },
    { action: "rotate", overlap: "0" },
  ];
  for (const fields of forms) {
    const response = await ada.post(address, fields);
    assert.equal(response.status, 409, fields.action);
    const text = (await response.text()).replaceAll(/<[^>]*>/g, " ");
    assert.match(text, /Nothing was changed\.\s+The key is revoked\.[^]*State\s+revoked/);
  }
  assert.equal((await getKey(kv, idOf(address)))?.label, "laptop");

  const other = world.browser();
  await other.signIn("person-ada");
  await other.post("/account", { session: "others" });
  for (const browser of [ada, other]) {
    const sent = await browser.post(address, { action: "rename", label: "desk" });
    assert.equal(sent.headers.get("location"), "/account");
    assert.match(await seen(browser), /You are no longer signed in, so the form changed nothing/);
    await deleteAccount(kv, accountOf(world), madeBy(clock.now));
    await endSessions(kv, accountOf(world));
  }
});

Deno.test("each action is confirmed once, in a sentence", async () => {
  await using world = await openMember();
  const { ada } = world;
  const { address } = await makeKey(ada);
  const said = async (path: string) => {
    const page = parseHtml(await seen(ada, path));
    return find(page, "p").filter(({ attributes: { role } }) => role === "status").length;
  };
  const actions: [string, Record<string, string>][] = [
    [address, { action: "rename", label: "desk" }],
    [address, { action: "limit", cap: "1", endpoint: "search" }],
    [address, { action: "revoke" }],
    ["/account", { session: "others" }],
    ["/account/sign-out", {}],
  ];
  // The live text of the copy buttons is always there.
  for (const [path, fields] of actions) {
    const next = (await ada.post(path, fields)).headers.get("location") ?? "";
    const [first, second] = [await said(next), await said(next)];
    assert.equal(first - second, 1, path);
  }
  ada.cookies.set("__Host-foyer_done", "<b>planted</b>");
  assert.doesNotMatch(await seen(ada), /planted/);
});

Deno.test("a member can neither see nor change the key of another", async () => {
  await using world = await openMember();
  const { ada, foyer } = world;
  const { accountId, keyId } = await foyer.createMember();
  const key = await getKey(foyer.kv, keyId);
  const ids = [keyId, "000000000000", "x", "x".repeat(3_000), "%00", encodeURIComponent("../x")];
  for (const id of ids) {
    const page = await ada.get(`/account/keys/${id}`);
    assert.equal(page.status, 404, id);
    assert.doesNotMatch(await page.text(), new RegExp(accountId));
    for (const action of ["rename", "revoke", "rotate", "limit"]) {
      const fields = { action, label: "mine", overlap: "0", cap: "", endpoint: "search" };
      assert.equal((await ada.post(`/account/keys/${id}`, fields)).status, 404);
    }
  }
  assert.deepEqual(await getKey(foyer.kv, keyId), key);
  assert.equal((await listKeys(foyer.kv, accountId)).length, 1);
});

Deno.test("twenty keys work at a time, however many forms race, and fifty are made in a day", async () => {
  await using world = await openMember();
  const { ada, foyer: { kv, clock } } = world;
  const form = { label: "", expires: "never", cap: "", endpoint: "search" };
  const make = () => ada.post("/account", form);
  const made = await Promise.all(Array.from({ length: 30 }, make));
  const count = (status: number) => made.filter((each) => each.status === status).length;
  assert.deepEqual([count(303), count(429)], [20, 10]);
  const id = accountOf(world);
  const keys = await listKeys(kv, id);
  assert.equal(keys.length, 20);
  const [first] = keys;
  const address = `/account/keys/${first?.id}`;
  const refused = await ada.post(address, { action: "rotate", overlap: "24" });
  assert.equal(refused.status, 429);
  assert.match(await refused.text(), /Nothing was changed[^]*20 of your keys work already\./);
  assert.equal((await ada.post(address, { action: "rotate", overlap: "0" })).status, 303);
  for (let made = 21; made < 50; made++) {
    const [live] = (await listKeys(kv, id)).filter(({ revoked }) => !revoked);
    await ada.post(`/account/keys/${live?.id}`, { action: "revoke" });
    assert.equal((await make()).status, 303, `${made}`);
  }
  await ada.post(`/account/keys/${(await listKeys(kv, id)).at(-1)?.id}`, { action: "revoke" });
  assert.equal((await make()).status, 429);
  clock.now += 24 * HOUR;
  assert.equal((await make()).status, 303);
});

Deno.test("the copy of the data has every change of the account and its keys, says the unit of every amount, and names no operator", async () => {
  await using world = await openMember();
  const { ada, foyer: { kv, clock } } = world;
  const accountId = accountOf(world);
  clock.now += 1_000;
  const { address } = await makeKey(ada, { cap: "0.5" });
  const keyId = idOf(address);
  const forms = [
    { action: "rename", label: "desk" },
    { action: "limit", cap: "0.25", endpoint: "answer" },
    { action: "rotate", overlap: "1" },
    { action: "revoke" },
  ];
  for (const form of forms) {
    clock.now += 1_000;
    assert.equal((await ada.post(address, form)).status, 303);
  }
  clock.now += 1_000;
  const by = { command: "accounts limit", user: "grace" };
  const grant = { limitNanoUsd: 1_000_000_000n, until: clock.now + HOUR };
  const change = { limitNanoUsd: 9_000_000_000n, grant };
  await updateAccount(kv, accountId, change, { at: clock.now, by, why: "for the fair" });
  const text = await seen(ada, "/account/data.json");
  assert.doesNotMatch(text, /grace|NanoUsd/);
  const { account, keys, changes } = JSON.parse(text);
  const grantUsd = { limitUsd: "1", until: new Date(grant.until).toISOString() };
  assert.partialDeepStrictEqual(account, { limitUsd: "9", grant: grantUsd });
  assert.deepEqual(keys[0].cap, { id: keyId, limitUsd: "0.25" });
  assert.deepEqual(
    changes.map(({ what }: { what: string[] }) => what.join()).sort(),
    ["cap,endpoints", "create", "create", "create", "limit,grant", "rename", "revoke", "rotate"],
  );
  assert.partialDeepStrictEqual(changes[1], {
    keyId,
    by: { accountId },
    before: null,
    after: { cap: { id: keyId, limitUsd: "0.5" }, endpoints: ["search"] },
  });
  assert.deepEqual(changes.at(-1), {
    at: new Date(clock.now).toISOString(),
    by: { command: "accounts limit" },
    what: ["limit", "grant"],
    before: { limitUsd: null, grant: null },
    after: { limitUsd: "9", grant: grantUsd },
    why: "for the fair",
  });
});

Deno.test("a member downloads the data, and deletes the account after a fresh sign-in", async () => {
  await using world = await openMember();
  const { ada, foyer, identity } = world;
  const { kv, clock } = foyer;
  const { address, key } = await makeKey(ada, { label: "Ada's laptop", cap: "0.006" });
  const accountId = accountOf(world);
  await foyer.post(PATHS.search, key, SEARCH);
  await untilBooked(foyer, { accountId, keyId: idOf(address), key });
  await foyer.post(PATHS.search, key, SEARCH);
  await foyer.services.refusals.flush();

  const data = JSON.parse(await seen(ada, "/account/data.json"));
  assert.equal(data.account.owner.subject, "person-ada");
  assert.deepEqual(data.keys.map(({ label }: { label: string }) => label), ["Ada's laptop"]);
  assert.equal(data.requests.length, 1);
  assert.equal(data.requests[0].costUsd, String(Number(SEARCH_PRICE) / 1e9));
  assert.equal(data.days[0].requests, 1);
  assert.equal(data.sessions.length, 1);
  const spentUsd = data.requests[0].costUsd;
  assert.deepEqual(data.days[0].caps, { [idOf(address)]: { spentUsd, reservedUsd: "0" } });
  assert.partialDeepStrictEqual(data.refusals, [
    { keyId: idOf(address), endpoint: "search", code: "spending_limit_reached", requests: 1 },
  ]);
  assert.doesNotMatch(JSON.stringify(data), /secretHash|digest/);

  const refuses = async (why: string) => {
    assert.match(await seen(ada, "/account/delete"), /Sign in again/);
    assert.equal((await ada.post("/account/delete")).headers.get("location"), "/account/delete");
    assert.notEqual((await getAccount(kv, accountId))?.owner, undefined, why);
  };
  await refuses("a sign-in for another purpose deletes nothing, however recent");

  // A provider that supports the parameter asks for the password again; a sign-in without that is refused.
  const old = Math.floor(clock.now / 1000) - 3_600;
  identity.faults.push({ kind: "token", path: "/token", claims: { auth_time: old } });
  assert.equal((await ada.signIn("person-ada", "/account/sign-in?for=delete")).status, 403);
  const fresh = await ada.signIn("person-ada", "/account/sign-in?for=delete");
  assert.equal(fresh.headers.get("location"), "/account/delete");
  const second = world.browser();
  await second.signIn("person-ada");
  clock.now += 300_001;
  await refuses("it is stale by then");
  await ada.signIn("person-ada", "/account/sign-in?for=delete");
  assert.match(await seen(ada, "/account/delete"), /permanently/);
  const [index] = await Array.fromAsync(kv.list({ prefix: ["account_of_person"] }));
  assert.ok(index);
  const gone = await ada.post("/account/delete");
  assert.equal(gone.headers.get("location"), "/account");
  assert.equal(ada.cookies.has("__Host-foyer_session"), false);
  assert.deepEqual([await isSignedIn(ada), await isSignedIn(second)], [false, false]);
  clock.now += 5_001;
  assert.equal((await foyer.post(PATHS.search, key, SEARCH)).status, 401);
  assert.doesNotMatch(await everythingStored(world), /person-ada|\bAda\b|laptop/);
  const account = await getAccount(kv, accountId);
  assert.equal(account?.name, "Deleted account");
  const [sums] = await readDays(kv, accountId, ["2026-11-21"]);
  assert.equal(sums?.spent, SEARCH_PRICE, "the books stay as they are");

  // A second account on the same day would have a second daily limit.
  await kv.set(index.key, index.value);
  assert.equal((await world.browser().signIn("person-ada")).status, 303);
  assert.equal(accountOf(world), accountId);
  assert.equal((await foyer.post(PATHS.search, key, SEARCH)).status, 401);
});

/** Deletes the account of the person who is signed in to a browser. */
async function leave(browser: Browser, person: string): Promise<void> {
  await browser.signIn(person, "/account/sign-in?for=delete");
  assert.equal((await browser.post("/account/delete")).headers.get("location"), "/account");
}

Deno.test("what an operator has set for a person outlives the deletion of the account by 400 days", async () => {
  await using world = await openSignIn({ SIGN_IN_VERIFIED: undefined });
  const { kv, clock, services } = world.foyer;
  const ada = world.browser();
  const departed = () => Array.fromAsync(kv.list({ prefix: ["departed"] }));
  await ada.signIn("person-ada");
  const grant = { limitNanoUsd: 1n, until: clock.now + 30 * 24 * HOUR };
  const set = { limitNanoUsd: 0n, verified: false, grant };
  const id = accountOf(world);
  await updateAccount(kv, id, set, madeBy());
  await leave(ada, "person-ada");
  assert.doesNotMatch(Deno.inspect(await departed()), /person-ada|Ada/);
  clock.now += 24 * HOUR;
  await ada.signIn("person-ada");
  assert.partialDeepStrictEqual(await getAccount(kv, id), set);
  assert.deepEqual(await departed(), [], "the account itself has it again");
  await leave(ada, "person-ada");
  for (const [days, left] of [[399, 1], [2, 0]] as const) {
    for (let day = 0; day < days; day++) {
      clock.now += 24 * HOUR;
      await removeOldRecords(services);
    }
    assert.equal((await departed()).length, left, `after ${days} more days`);
  }
});

Deno.test("a deletion just before midnight gives no second rate limit", async () => {
  await using world = await openSignIn();
  const { clock } = world.foyer;
  clock.now = Date.parse("2026-11-21T23:59:40Z");
  const ada = world.browser();
  await ada.signIn("person-ada");
  const id = accountOf(world);
  await leave(ada, "person-ada");
  clock.now = Date.parse("2026-11-22T00:29:30Z");
  await ada.signIn("person-ada");
  assert.equal(accountOf(world), id);
  await leave(ada, "person-ada");
  clock.now = Date.parse("2026-11-23T00:00:00Z");
  await ada.signIn("person-ada");
  assert.notEqual(accountOf(world), id);
});
