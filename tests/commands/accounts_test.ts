/** `accounts`: what each command does and prints. */

import assert from "node:assert/strict";
import { provisionAccount } from "../../lib/accounts/owner.ts";
import { createReferredAccount } from "../../lib/accounts/reference.ts";
import { openLedger } from "../support/accounts.ts";
import { madeBy } from "../support/made_by.ts";
import { record } from "../proxy/records/clickhouse.ts";
import { type Desk, done, json, mistake, sitDown } from "./desk.ts";

const GRACE = { name: "Grace", reference: "s-17", limitNanoUsd: null, verified: true };

Deno.test("create prints the id and the next step, and --json one object, with the limit in force", async () => {
  using desk = await sitDown();
  const out = await done(desk.accounts("create", "Weather bot"));
  const id = /acc_[0-9A-Za-z]{12}/.exec(out)?.[0] ?? "";
  assert.ok(out.includes(`deno task keys create ${id}`));
  const common = { reference: null, limitUntil: null, createdAt: "2026-11-21T12:00:00.000Z" };
  const bot = { id, name: "Weather bot", state: "active", banned: false, verified: true };
  const shown = await json(desk.accounts("list", "--json"));
  assert.deepEqual(shown, [{ ...common, ...bot, limitUsd: 4, isDefaultLimit: true }]);
  const options = ["--limit", "0", "--unverified", "--json"];
  const created = await json(desk.accounts("create", "demo", ...options));
  const demo = { id: created.id, name: "demo", state: "unverified", banned: false };
  const limit = { verified: false, limitUsd: 0, isDefaultLimit: false };
  assert.deepEqual(created, { ...common, ...demo, ...limit });
  const good = ["a", "Wetter-Bot für Zürich", "天気", "👩‍🌾".slice(0, 2), "x".repeat(100), "acc_1"];
  for (const name of good) await done(desk.accounts("create", name));
});

Deno.test("list shows a table with aligned columns, the oldest account first, or the accounts that have a word, which rename changes", async () => {
  using desk = await sitDown();
  assert.match(await done(desk.accounts("list")), /No accounts yet/);
  assert.deepEqual(await json(desk.accounts("list", "--json")), []);
  const ids: string[] = [];
  for (const [name, limit] of [["Zoë", "4"], ["a", "12.345"], ["Überlang", "0"]] as const) {
    ids.push((await json(desk.accounts("create", name, "--limit", limit, "--json"))).id);
    desk.advance(60_000);
  }
  await done(desk.accounts("ban", "a"));
  assert.equal(
    await done(desk.accounts("list")),
    `ID                STATE   DAILY LIMIT  CREATED               NAME
${ids[0]}  active  $4.00        2026-11-21 12:00 UTC  Zoë
${ids[1]}  banned  $12.345      2026-11-21 12:01 UTC  a
${ids[2]}  active  $0.00        2026-11-21 12:02 UTC  Überlang
`,
  );
  const names = async (...word: string[]) =>
    (await json(desk.accounts("list", ...word, "--json")))
      .map(({ name }: { name: string }) => name);
  assert.deepEqual(await names(), ["Zoë", "a", "Überlang"]);
  assert.deepEqual(await names("zoe"), ["Zoë"]);
  assert.match(await done(desk.accounts("list", "uber")), /^acc_\w+ .* Überlang$/m);
  assert.match(await done(desk.accounts("list", "ada")), /^No account has “ada”\.$/m);
  const renamed = await done(desk.accounts("rename", "Zoë", "Ada"));
  assert.match(renamed, /^Changed, .* acc_\w+ \(Ada\) is active/m);
  assert.deepEqual([await names("ada"), await names("zoe")], [["Ada"], []]);
});

Deno.test("an account is found by the beginning of any word of its name, by its id and by its reference", async () => {
  using desk = await sitDown();
  for (const name of ["Zoë Müller-Lüdenscheidt", "Zoe Zander", "ＡＤＡ Lovelace", "(bot) 天気"]) {
    await done(desk.accounts("create", name));
    desk.advance(1);
  }
  const { account: { id } } = await createReferredAccount(desk.kv, GRACE, madeBy(desk.now()));
  const cases: Record<string, string[]> = {
    zoe: ["Zoë Müller-Lüdenscheidt", "Zoe Zander"],
    "ZOË  m": ["Zoë Müller-Lüdenscheidt"],
    lud: ["Zoë Müller-Lüdenscheidt"],
    "ada love": ["ＡＤＡ Lovelace"],
    z: ["Zoë Müller-Lüdenscheidt", "Zoe Zander"],
    天: ["(bot) 天気"],
    "(": ["(bot) 天気"],
    "s-17": ["Grace"],
    [id]: ["Grace"],
    oe: [],
    acc_000000000000: [],
  };
  for (const [word, expected] of Object.entries(cases)) {
    const listed: { name: string }[] = await json(desk.accounts("list", word, "--json"));
    assert.deepEqual(listed.map(({ name }) => name), expected, word);
  }
});

/** An account that has spent 1.5 USD today, and has 0.25 reserved. */
async function spend({ kv, now }: Desk, accountId: string): Promise<void> {
  const ledger = openLedger(kv, now);
  const bid = { accountId, keyId: "key", endpoint: "search", model: null, limit: 10n ** 10n };
  const first = await ledger.reserve({ ...bid, requestId: "first", amount: 1n });
  assert.ok(first.admitted);
  const reading = { cost: 1_500_000_000n, inputTokens: null, outputTokens: null, model: null };
  void ledger.settle(first.reservation, { ...reading, status: 200 });
  await ledger.reserve({ ...bid, requestId: "second", amount: 250_000_000n });
  await ledger.flush();
}

Deno.test("show prints name, state, limit, spending, creation and keys, by id or by name", async () => {
  using desk = await sitDown();
  const { id } = await json(desk.accounts("create", "Weather bot", "--json"));
  const key = await json(desk.keys("create", id, "--name", "laptop", "--json"));
  await spend(desk, id);
  assert.equal(
    await done(desk.accounts("show", "Weather bot")),
    `Account      ${id}
Name         Weather bot
State        active
Daily limit  $4.00 (default)
Today        $1.50 spent on 1 request, $0.25 reserved
Created      2026-11-21 12:00 UTC

ID            ACCOUNT           STATE   CREATED               ENDS  LAST USED  DAILY LIMIT  ENDPOINTS  NAME
${key.id}  ${id}  active  2026-11-21 12:00 UTC  -     -          none         all        laptop
`,
  );
  const shown = await json(desk.accounts("show", id, "--json"));
  assert.equal(shown.id, id);
  assert.deepEqual(shown.today, { spentUsd: 1.5, reservedUsd: 0.25, requests: 1 });
  assert.deepEqual(shown.keys.map((each: { id: string }) => each.id), [key.id]);
  assert.ok(!JSON.stringify(shown).includes("foyer_"));
  assert.ok(!("owner" in shown));
  const owner = { issuer: "https://sign-in.example", subject: "ada" };
  await provisionAccount(desk.kv, { owner, name: "ada", verified: null }, desk.now());
  assert.deepEqual((await json(desk.accounts("show", "ada", "--json"))).owner, owner);
  const text = await done(desk.accounts("show", "ada"));
  assert.match(text, /^Signs in as +ada at https:\/\/sign-in\.example$/m);
});

Deno.test("limit sets an amount to the nano-dollar, perhaps until a day, and default takes it back", async () => {
  using desk = await sitDown();
  const { id } = await json(desk.accounts("create", "x", "--json"));
  const steps: [args: string[], said: RegExp][] = [
    [["default"], /^Nothing changed: .* is active, with a daily limit of \$4\.00 \(default\)\.$/m],
    [["0.000000001"], /^Changed, .* daily limit of \$0\.000000001\.$/m],
    // A limit of its own that equals the default is a change: it stays if the default changes.
    [["4"], /^Changed, .* daily limit of \$4\.00\.$/m],
    [["4.0"], /^Nothing changed: .* daily limit of \$4\.00\.$/m],
    [["default"], /^Changed, .* daily limit of \$4\.00 \(default\)\.$/m],
    [["20", "--until", "2026-11-23"], /of \$20\.00 until 2026-11-23 00:00 UTC, then \$4\.00 \(/],
  ];
  for (const [args, said] of steps) {
    assert.match(await done(desk.accounts("limit", id, ...args)), said);
  }
  const shown = async () => {
    const account = await json(desk.accounts("show", id, "--json"));
    return [account.limitUsd, account.limitUntil, account.isDefaultLimit];
  };
  assert.deepEqual(await shown(), [20, "2026-11-23T00:00:00.000Z", false]);
  desk.advance(3 * 86_400_000);
  assert.deepEqual(await shown(), [4, null, true]);
  await done(desk.accounts("limit", id, "20", "--until", "30d"));
  await done(desk.accounts("limit", id, "3"));
  assert.deepEqual(await shown(), [3, null, false]);
});

Deno.test("ban, unban, verify and unverify each change their field, and report the state", async () => {
  using desk = await sitDown();
  const { id } = await json(desk.accounts("create", "x", "--json"));
  const steps = [
    ["unban", "Nothing changed", "active"],
    ["ban", "Changed", "banned"],
    ["ban", "Nothing changed", "banned"],
    ["unverify", "Changed", "banned"],
    ["unban", "Changed", "unverified"],
    ["verify", "Changed", "active"],
    ["verify", "Nothing changed", "active"],
  ] as const;
  for (const [command, begins, state] of steps) {
    const out = await done(desk.accounts(command, "x"));
    assert.ok(out.startsWith(begins) && out.includes(` (x) is ${state}, `), out);
    assert.equal((await json(desk.accounts("show", id, "--json"))).state, state);
  }
});

Deno.test("a name that another differs from in case alone finds neither, and its owner cannot take the other's place", async () => {
  using desk = await sitDown();
  const ids: string[] = [];
  for (const name of ["Ada Lovelace", "ada lovelace"]) {
    ids.push((await json(desk.accounts("create", name, "--json"))).id);
    desk.advance(1);
  }
  const listed = ids.toSorted().join(", ");
  for (const name of ["Ada Lovelace", "ada lovelace", "ADA LOVELACE"]) {
    const said = await mistake(desk.accounts("ban", name), 1);
    assert.ok(said.endsWith(`several accounts are named “${name}”; give the id, one of ${listed}`));
  }
  assert.doesNotMatch(await done(desk.accounts("list")), /banned/);
  assert.match(await done(desk.accounts("ban", ids[1] ?? "")), / is banned, /);
  // More accounts than one page of a search have this name as their last word.
  for (let count = 0; count < 60; count++) await done(desk.accounts("create", "Dora Lovelace"));
  for (const name of ["Lovelace", "lovelace"]) await done(desk.accounts("create", name));
  assert.match(await mistake(desk.accounts("ban", "Lovelace"), 1), /several .* one of \S+ \S+$/);
});

Deno.test("ban --reason tells the member why, show tells the operator, and delete needs --yes and leaves nothing of the person", async () => {
  using desk = await sitDown();
  const { account: { id } } = await createReferredAccount(desk.kv, GRACE, madeBy());
  await done(desk.keys("create", "Grace", "--name", "laptop"));
  await done(desk.accounts("ban", "Grace", "--reason", "The key was sold."));
  assert.match(await done(desk.accounts("show", id)), /^Reason +The key was sold\.$/m);
  assert.equal((await json(desk.accounts("show", id, "--json"))).banReason, "The key was sold.");
  const unsure = await mistake(desk.accounts("delete", "Grace"), 2);
  assert.match(unsure, /ends its 1 key permanently; add --yes/);
  const deleted = await done(desk.accounts("delete", "Grace", "--yes"));
  assert.match(deleted, /^Deleted the account \w+ \(Grace\)/);
  assert.match(await mistake(desk.accounts("delete", id, "--yes"), 1), /is deleted$/);
  const record = await done(desk.call("record", "--account", id));
  assert.match(record, /delete .* accounts delete/);
  for await (const { key, value } of desk.kv.list({ prefix: [] })) {
    assert.doesNotMatch(Deno.inspect([key, value], { depth: 9 }), /Grace|s-17|sold|laptop/);
  }
  assert.match(await done(desk.accounts("list", "Grace")), /^No account has/m);
  const { isNew } = await createReferredAccount(desk.kv, GRACE, madeBy());
  assert.ok(isNew, "the reference may be given again");
});

Deno.test("a wrong charge is booked back with a reason, once it was charged, and every sum follows", async () => {
  using desk = await sitDown();
  const { id } = await json(desk.accounts("create", "Ada", "--json"));
  const charged = record({ accountId: id, cost: 500_000_000n });
  await desk.book(charged);
  const asked = ["correct", id, "--day", "2026-11-21", "--reason", "Charged twice"];
  const back = ["--back", "0.2", "--request", charged.requestId];
  assert.match(
    await done(desk.accounts(...asked, ...back)),
    /^Booked -\$0\.20 for acc_.*: cor_[\w-]+\.\n$/,
  );
  await done(desk.accounts(...asked, "--add", "0.000000001"));
  assert.match(
    await mistake(desk.accounts(...asked, "--back", "0.31")),
    /More would be booked back/,
  );
  assert.match(await mistake(desk.accounts(...asked, "--back", "0")), /not zero/);
  assert.match(await mistake(desk.accounts(...asked)), /either --back or --add/);
  assert.match(
    await mistake(desk.accounts(...asked, "--back", "0.1", "--request", "other")),
    /charged for no request of this id on 2026-11-21/,
  );
  for (const by of ["account", "endpoint", "key", "model", "day", "status"]) {
    const { total } = await json(desk.usage("--by", by, "--json"));
    assert.deepEqual([total.requests, total.failed, total.costNanoUsd], [1, 0, "300000001"], by);
  }
  assert.match(await done(desk.accounts("audit")), /agree with their records/);
  assert.match(
    await done(desk.requests("--account", id, "--since", "1d")),
    /-\$0\.20 .*Charged twice/,
  );
  assert.match(await done(desk.call("record")), /correct .*-\$0\.20.*Charged twice/);
});
