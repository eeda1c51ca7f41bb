/** The desk's pages of accounts: found, changed with an entry in the audit log, imported. */

import assert from "node:assert/strict";
import { getAccount, updateAccount } from "../../lib/accounts/account.ts";
import { listAuditEntries } from "../../lib/accounts/audit_log.ts";
import { getKey, listKeys, revokeKey } from "../../lib/accounts/key.ts";
import { deleteAccount } from "../../lib/accounts/owner.ts";
import { getAccountByReference } from "../../lib/accounts/reference.ts";
import { accountOf } from "../members/world.ts";
import { PATHS, SEARCH } from "../proxy/proxy.ts";
import { find, parseHtml } from "../site/html.ts";
import { madeBy } from "../support/made_by.ts";
import { hiddenIn, openDesk } from "./desk.ts";

const DAY = 86_400_000;

const namesIn = (page: string) =>
  [...page.matchAll(/<bdi>([^<]*)<\/bdi><\/a><\/th>/g)].map(([, name]) => name);

/** The names on the pages of a list, which are followed by their links. */
async function namesOf({ textAt }: { textAt: (path: string) => Promise<string> }, query: string) {
  const pages = [];
  for (let next: string | undefined = query; next !== undefined;) {
    const page = await textAt(`/desk/accounts?${next}`);
    pages.push(namesIn(page));
    next = /href="\/desk\/accounts\?([^"]*)" rel="next"/.exec(page)?.[1]?.replaceAll("&amp;", "&");
  }
  return pages;
}

Deno.test("a search by name or id and each view list all their accounts, fifty a page, a view with their number and its time", async () => {
  await using world = await openDesk();
  const { kv, clock } = world.foyer;
  for (let n = 0; n < 60; n++) {
    const { id } = await world.makeAccount(`Bad ${n}`);
    await updateAccount(kv, id, { banned: true }, madeBy(clock.now));
  }
  const { id } = await world.makeAccount("Zoë's <b>weather</b> bot");
  await updateAccount(kv, id, { verified: false }, madeBy(clock.now));
  for (const query of ["view=banned", "q=bad"]) {
    const pages = await namesOf(world, query);
    assert.deepEqual([pages[0]?.length, new Set(pages.flat()).size, pages.length], [50, 60, 2]);
  }
  const banned = await world.textAt("/desk/accounts?view=banned");
  assert.match(banned, /1 to 50 of 60 at 2026-11-21 12:00 UTC/);
  assert.match(banned, /view=banned"[^>]* aria-current="page"/);
  for (const query of ["view=unverified", "q=zoe", "q=weather", `q=${id}`]) {
    const page = await world.textAt(`/desk/accounts?${query}`);
    assert.deepEqual(namesIn(page).length, 1, query);
    assert.match(page, /Zoë&#39;s &lt;b>weather|Zoë's &lt;b>weather/, query);
  }
  for (const view of ["near", "spenders"]) {
    assert.deepEqual(await namesOf(world, `view=${view}`), [[]], view);
  }
});

Deno.test("every action on an account takes effect, is confirmed once, and is recorded with the operator", async () => {
  await using world = await openDesk();
  const { kv, clock } = world.foyer;
  const ada = world.browser();
  await ada.signIn("person-ada");
  const id = accountOf(world);
  const address = `/desk/accounts/${id}`;
  const until = new Date(clock.now + DAY).toISOString().slice(0, 10);
  const grant = { limitNanoUsd: 9_000_000_000n, until: Date.parse(until) + DAY };
  const actions: [string, Record<string, string>, Record<string, unknown>][] = [
    ["limit", { limit: "0.5" }, { limitNanoUsd: 500_000_000n }],
    ["grant", { grant: "9", until, why: "for the fair" }, { grant }],
    ["ungrant", {}, {}],
    ["unverify", {}, { verified: false }],
    ["verify", {}, { verified: true }],
    ["rename", { name: "Countess" }, { name: "Countess" }],
    ["sessions", {}, {}],
    ["ban", { reason: "<i>spam</i>" }, { banned: true, banReason: "<i>spam</i>" }],
    ["unban", {}, { banned: false }],
  ];
  for (const [action, fields, expected] of actions) {
    clock.now += 1_000;
    const response = await world.act(address, action, fields);
    assert.equal(response.headers.get("location"), address);
    const page = await world.textAt(address);
    assert.match(page, /class="verdict up done" role="status"/, action);
    assert.doesNotMatch(page, /<i>spam/);
    if (action === "limit") assert.match(page, /name="limit"[^>]* value="0\.5"/);
    assert.doesNotMatch(await world.textAt(address), /role="status"/, "it is said once");
    const account = await getAccount(kv, id);
    assert.partialDeepStrictEqual(account, expected);
    assert.equal(account?.grant !== undefined, action === "grant");
    const change = (await Array.fromAsync(listAuditEntries(kv, id))).at(-1);
    assert.deepEqual(change?.by, { accountId: world.operatorId }, action);
  }
  const crafted = await world.textAt(`${address}?done=account-ban`);
  assert.doesNotMatch(crafted, /is banned/, "a link confirms nothing");
  const own = await (await ada.get("/account")).text();
  assert.match(own, />Sign in<\/a>/, "the sessions have ended");
  assert.match(await world.read(address), /Countess[^]*for the fair/);

  const gone = await world.act(address, "delete");
  assert.equal(gone.headers.get("location"), "/desk/accounts");
  assert.equal((await getAccount(kv, id))?.deletedAt, clock.now);
  assert.doesNotMatch(await world.textAt(address), /<form/, "its books stay");
  assert.equal((await world.olga.get("/desk/accounts/acc_aaaaaaaaaaaa")).status, 404);
});

Deno.test("a form that was made from an older version changes nothing, and shows both", async () => {
  await using world = await openDesk();
  const { olga, foyer: { kv, clock } } = world;
  const { id } = await world.makeAccount("Weather bot");
  const address = `/desk/accounts/${id}`;
  const { version = "" } = hiddenIn(await world.textAt(address));
  await updateAccount(kv, id, { limitNanoUsd: 3_000_000_000n }, madeBy(clock.now));
  const changed = await getAccount(kv, id);
  const ban = { action: "ban", reason: "spam" };
  const rename = { action: "rename", name: "Other" };
  for (const fields of [{ action: "limit", limit: "7" }, ban, rename, { action: "delete" }]) {
    for (const made of [version, "", "none"]) {
      const response = await olga.post(address, { ...fields, version: made });
      assert.equal(response.status, 409, fields.action);
      const page = await response.text();
      assert.match(page, /role="alert"[^]*Nothing was changed/);
      if (fields.action === "limit") assert.match(page, /\$3\.00[^]*name="limit"[^>]*value="7"/);
    }
  }
  assert.deepEqual(await getAccount(kv, id), changed);
  // Two operators at once: one of them is told.
  const present = hiddenIn(await world.textAt(address));
  const send = (limit: string) => olga.post(address, { ...present, action: "limit", limit });
  const both = await Promise.all([send("1"), send("2")]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [303, 409]);
});

Deno.test("a form whose key or account has ended meanwhile says so, beside the page as it is now", async () => {
  await using world = await openDesk();
  const { olga, foyer: { kv, clock, createMember } } = world;
  const { accountId: id, keyId } = await createMember();
  const account = `/desk/accounts/${id}`;
  const say = async (path: string, version: string, fields: Record<string, string>) => {
    const response = await olga.post(path, { ...fields, version });
    assert.equal(response.status, 409, JSON.stringify(fields));
    const page = parseHtml(await response.text());
    const alerts = find(page, "div").filter(({ attributes: { role } }) => role === "alert");
    return alerts.map(({ text }) => text).join() + find(page, "dl")[0]?.text;
  };
  const versionOf = async (path: string) => hiddenIn(await world.textAt(path))["version"] ?? "";
  const ofKey = await versionOf(`${account}/${keyId}`);
  const ofAccount = await versionOf(account);
  await revokeKey(kv, keyId, madeBy(clock.now));
  const forms = [
    { action: "rename", label: "desk" },
    { action: "limit", cap: "much" },
    { action: "rotate", overlap: "0" },
    { action: "revoke" },
  ];
  for (const fields of forms) {
    const said = await say(`${account}/${keyId}`, ofKey, fields);
    assert.match(said, /Nothing was changed.*The key is revoked\..*Staterevoked/);
  }
  await deleteAccount(kv, id, madeBy(clock.now));
  const deleted = [
    { action: "limit", limit: "much" },
    { action: "ban", reason: "spam" },
    { action: "key", label: "", expires: "90", cap: "", endpoint: "search" },
  ];
  for (const fields of deleted) {
    const said = await say(account, ofAccount, fields);
    assert.match(said, /Nothing was changed.*The account is deleted\..*Statedeleted/);
  }
  assert.equal((await listKeys(kv, id)).length, 1);
});

Deno.test("a mistake stands beside its field", async () => {
  await using world = await openDesk();
  const address = `/desk/accounts/${(await world.makeAccount("Weather bot")).id}`;
  const cases = [
    ["/desk/accounts", { name: "", limit: "1" }, "name"],
    ["/desk/accounts", { name: "x", reference: "ü", limit: "1" }, "reference"],
    [address, { action: "limit", limit: "much" }, "limit"],
    [address, { action: "grant", grant: "1", until: "2026-11-20" }, "until"],
    [address, { action: "ban", reason: "x".repeat(501) }, "reason"],
    [address, { action: "correct", day: "2026-11-21", amount: "much", reason: "x" }, "amount"],
    [address, { action: "key", expires: "90", cap: "-1", endpoint: "search" }, "cap"],
  ] as const;
  for (const [path, fields, wrong] of cases) {
    const response = await world.olga.post(path, fields);
    assert.equal(response.status, 400, path);
    const mistakes = find(parseHtml(await response.text()), "p", "mistake");
    assert.deepEqual(mistakes.map(({ attributes: { id } }) => id), [`${wrong}-mistake`]);
  }
});

Deno.test("an operator creates a key that is shown once, limits, rotates and revokes it", async () => {
  await using world = await openDesk();
  const { foyer, olga, act } = world;
  const { kv, clock } = foyer;
  const made = await olga.post("/desk/accounts", { name: "Bot", reference: "bot-1", limit: "1" });
  const { id = "" } = await getAccountByReference(kv, "bot-1") ?? {};
  const account = `/desk/accounts/${id}`;
  assert.equal(made.headers.get("location"), account);
  const shown = async (response: Response) => {
    const address = response.headers.get("location") ?? "";
    const [text = ""] = /foyer_\w{51}/.exec(await world.textAt(address)) ?? [];
    assert.doesNotMatch(await world.textAt(address), /foyer_\w{51}/, "it is shown once");
    return { text, address };
  };
  const status = async (key: string) => {
    clock.now += 5_001;
    return (await foyer.post(PATHS.search, key, SEARCH)).status;
  };
  const form = { label: "laptop", expires: "90", cap: "", endpoint: "search" };
  const key = await shown(await act(account, "key", form));
  assert.equal(await status(key.text), 200);
  await act(key.address, "limit", { cap: "0.5", endpoint: "answer" });
  assert.equal(await status(key.text), 403);
  await act(key.address, "limit", { cap: "0.5", endpoint: "search" });
  const next = await shown(await act(key.address, "rotate", { overlap: "0" }));
  assert.deepEqual([await status(key.text), await status(next.text)], [401, 200]);
  assert.equal((await olga.post(next.address, { action: "revoke", version: "none" })).status, 409);
  await act(next.address, "revoke");
  assert.equal(await status(next.text), 401);
  assert.equal((await getKey(kv, next.address.split("/").at(-1) ?? ""))?.revoked, true);
  for (const { by } of await Array.fromAsync(listAuditEntries(kv, id))) {
    assert.deepEqual(by, { accountId: world.operatorId });
  }
  const path = next.address.replace(id, (await world.makeAccount("Other")).id);
  assert.equal((await olga.get(path)).status, 404, "a key has no page at another account");
  await foyer.services.ledger.flush();
});

Deno.test("an import shows what will happen, does it, and shows the keys once", async () => {
  await using world = await openDesk();
  const { olga, foyer: { kv, clock } } = world;
  const address = "/desk/accounts/import";
  const table = "Name;Reference;Limit\nAda;a-1;2\nBen;b-2;\n=Cat;c-3;1";
  const upload = async (text: string) => {
    const body = new FormData();
    body.append("file", new File([text], "members.csv", { type: "text/csv" }));
    body.append("table", "");
    const headers = { "sec-fetch-site": "same-origin" };
    return await olga.get(address, { method: "POST", body, headers });
  };
  const wrong = await upload("name,reference,limit\nAda,a-1,much\n,b-2,");
  assert.equal(wrong.status, 400);
  assert.match(await wrong.text(), /line 2: the limit[^]*line 3: the name is empty/);

  const linesOf = (cells: string) =>
    "name,reference,limit\n" +
    Array.from({ length: 102 }, (_, at) => cells.replaceAll("#", `${at}`)).join("\n");
  const long = await (await upload(linesOf("Person #,c-#,"))).text();
  assert.match(long, /Person 99<[^]*And 2 more/);
  assert.doesNotMatch(long.split("<table")[1] ?? "", /Person 100</);
  assert.match(
    await (await upload(linesOf("Person #,c-#,much"))).text(),
    /line 101:[^]*and 2 more/,
  );

  const preview = await (await upload(table)).text();
  assert.match(preview, /3 new accounts, 0 with another limit, 0 unchanged/);
  assert.equal(await getAccountByReference(kv, "a-1"), null, "nothing has happened yet");
  const done = await olga.post(address, { ...hiddenIn(preview), keys: "yes" });
  const result = await done.text();
  assert.match(result, /Imported: 3 new accounts, 0 with another limit, 0 unchanged/);
  assert.equal([...result.matchAll(/foyer_\w{51}/g)].length, 3);
  assert.match(result, /'=Cat,c-3|&#39;=Cat,c-3/, "a spreadsheet takes no name for a formula");
  const ada = await getAccountByReference(kv, "a-1");
  assert.equal(ada?.limitNanoUsd, 2_000_000_000n);
  assert.equal((await listKeys(kv, ada?.id ?? "")).length, 1);

  const again = await (await olga.post(address, { table: table.replace("a-1;2", "a-1;5") })).text();
  assert.match(again, /0 new accounts, 1 with another limit, 2 unchanged[^]*\$2 → \$5/);
  await updateAccount(kv, ada?.id ?? "", { limitNanoUsd: 9n }, madeBy(clock.now));
  const late = await olga.post(address, hiddenIn(again));
  assert.equal(late.status, 409, "another operator has changed the limit");
  assert.equal((await getAccountByReference(kv, "a-1"))?.limitNanoUsd, 9n);
});

Deno.test("an operator corrects a charge, the same form once, and the member reads the reason", async () => {
  await using world = await openDesk();
  const { act, foyer: { clock } } = world;
  const ada = world.browser();
  await ada.signIn("person-ada");
  const address = `/desk/accounts/${accountOf(world)}`;
  const send = (amount: string, reason = "Charged by mistake", more = {}) =>
    act(address, "correct", { day: "2026-11-21", amount, reason, ...more });
  for (const [amount, reason] of [["-0.01"], ["0"], ["1", ""]] as const) {
    const response = await send(amount, reason);
    assert.equal(response.status, 400);
    assert.match(await response.text(), /class="mistake"/);
  }
  assert.equal((await send("0.5")).headers.get("location"), address);
  const twice = await Promise.all([send("-0.2"), send("-0.2")]);
  assert.deepEqual(twice.map(({ status }) => status), [303, 303]);
  clock.now += 1;
  const yesterday = { at: String(clock.now - 86_400_000) };
  assert.equal((await send("-0.2", "Twice", yesterday)).status, 409);
  for (const page of [await world.textAt(address), await (await ada.get("/account")).text()]) {
    assert.match(page, /correction of 2026-11-21: Charged by mistake.*-\$0\.20/);
    assert.match(page, /\$0\.30/);
  }
  assert.match(
    await (await ada.get("/account/data.json")).text(),
    /"costUsd":"-0.2",.*"reason":"Charged/,
  );
});
