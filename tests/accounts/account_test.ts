/** Accounts, and what operators do with them: find, rename, ban and delete them. */

import assert from "node:assert/strict";
import { NewerVersionError } from "../../lib/platform/kv/write.ts";
import {
  createAccount,
  getAccount,
  listAccounts,
  updateAccount,
} from "../../lib/accounts/account.ts";
import { listAuditLog } from "../../lib/accounts/audit_log.ts";
import { findAccounts } from "../../lib/accounts/find.ts";
import { deleteAccount, provisionAccount } from "../../lib/accounts/owner.ts";
import { getKey } from "../../lib/accounts/key.ts";
import { createReferredAccount } from "../../lib/accounts/reference.ts";
import { DAY, openAccounts, START } from "../support/accounts.ts";
import { madeBy } from "../support/made_by.ts";

const PLAIN = { limitNanoUsd: null, verified: true };
const ADA = { issuer: "https://id.example", subject: "ada" };

const ban = (kv: Deno.Kv, id: string, banReason: string | null) =>
  updateAccount(kv, id, { banned: true, banReason }, madeBy());

/** The names of the accounts that a word finds, on all pages. */
async function found(kv: Deno.Kv, word: string): Promise<string[]> {
  const names: string[] = [];
  let after: string | null = null;
  do {
    const { accounts, next }: Awaited<ReturnType<typeof findAccounts>> = await findAccounts(
      kv,
      word,
      after,
    );
    assert.ok(accounts.length <= 50);
    names.push(...accounts.map(({ name }) => name));
    after = next;
  } while (after !== null);
  return names;
}

Deno.test("names that would disguise or break something, and negative limits, are refused, and nothing is stored", async () => {
  await using world = await openAccounts();
  const bad = ["", "  ", " a", "a ", "a\nb", "a\x1b[31mb", "a\u202eb", "a\u2028b", "\ud800"];
  for (const name of [...bad, "x".repeat(101), "acc_000000000000"]) {
    await assert.rejects(createAccount(world.kv, { ...PLAIN, name }, madeBy()), RangeError, name);
  }
  const limitNanoUsd = -1n;
  await assert.rejects(
    createAccount(world.kv, { ...PLAIN, name: "bot", limitNanoUsd }, madeBy()),
    RangeError,
  );
  const good = ["a", "Wetter-Bot für Zürich", "天気", "👩‍🌾".slice(0, 2), "x".repeat(100), "acc_1"];
  for (const name of good) await createAccount(world.kv, { ...PLAIN, name }, madeBy());
  const accounts = await Array.fromAsync(listAccounts(world.kv));
  assert.equal(accounts.length, good.length);
  const grant = { limitNanoUsd, until: START };
  for (const change of [{ limitNanoUsd }, { grant }]) {
    const later = updateAccount(world.kv, accounts[0]?.id ?? "", change, madeBy());
    await assert.rejects(later, RangeError);
  }
});

Deno.test("concurrent changes of different fields all take effect", async () => {
  await using world = await openAccounts();
  for (let round = 0; round < 20; round++) {
    const { id } = await world.account();
    await Promise.all([
      updateAccount(world.kv, id, { banned: true }, madeBy()),
      updateAccount(world.kv, id, { verified: false }, madeBy()),
      updateAccount(world.kv, id, { limitNanoUsd: 7n }, madeBy()),
    ]);
    const account = await getAccount(world.kv, id);
    assert.ok(account);
    assert.deepEqual([account.banned, account.verified, account.limitNanoUsd], [true, false, 7n]);
  }
});

Deno.test("an account of a newer version is neither used nor changed", async () => {
  await using world = await openAccounts();
  const { kv } = world;
  const { key, text } = await world.key();
  const { accountId } = key;
  const stored = { ...await getAccount(kv, accountId), version: 2 };
  await kv.set(["account", accountId], stored);
  const bearer = new Headers({ authorization: `Bearer ${text}` });
  await assert.rejects(world.authenticator().authenticate(bearer), NewerVersionError);
  await assert.rejects(updateAccount(kv, accountId, { banned: true }, madeBy()), NewerVersionError);
  await assert.rejects(getAccount(kv, accountId), NewerVersionError);
  assert.deepEqual((await kv.get(["account", accountId])).value, stored);
});

Deno.test("an account is found by the beginning of any word of its name, by its id and by its reference", async () => {
  using world = await openAccounts();
  const { kv } = world;
  for (const name of ["Zoë Müller-Lüdenscheidt", "Zoe Zander", "ＡＤＡ Lovelace", "(bot) 天気"]) {
    await createAccount(kv, { ...PLAIN, name }, madeBy());
  }
  const { account } = await createReferredAccount(
    kv,
    { ...PLAIN, name: "Grace", reference: "s-17" },
    madeBy(),
  );
  const cases: Record<string, string[]> = {
    zoe: ["Zoë Müller-Lüdenscheidt", "Zoe Zander"],
    "ZOË  m": ["Zoë Müller-Lüdenscheidt"],
    lud: ["Zoë Müller-Lüdenscheidt"],
    "ada love": ["ＡＤＡ Lovelace"],
    z: ["Zoë Müller-Lüdenscheidt", "Zoe Zander"],
    天: ["(bot) 天気"],
    "(": ["(bot) 天気"],
    "s-17": ["Grace"],
    [account.id]: ["Grace"],
    oe: [],
    acc_000000000000: [],
  };
  for (const [word, names] of Object.entries(cases)) {
    assert.deepEqual(await found(kv, word), names, word);
  }
  assert.equal((await found(kv, " ")).length, 5);
});

Deno.test("a name that an account no longer has does not find it", async () => {
  using world = await openAccounts();
  const { kv } = world;
  const { id } = await createAccount(kv, { ...PLAIN, name: "Old name" }, madeBy());
  const renamed = await updateAccount(kv, id, { name: "New label" }, madeBy());
  assert.equal(renamed?.name, "New label");
  assert.deepEqual([await found(kv, "name"), await found(kv, "label")], [[], ["New label"]]);
  await assert.rejects(updateAccount(kv, id, { name: " " }, madeBy()), RangeError);
  await deleteAccount(kv, id, madeBy());
  assert.deepEqual([await found(kv, "label"), await found(kv, "deleted")], [[], []]);
  assert.equal(await updateAccount(kv, id, { name: "Back" }, madeBy()), null);
  assert.deepEqual(await Array.fromAsync(kv.list({ prefix: ["account_name"] })), []);
});

Deno.test("an operator deletes an account with its name, reference and keys, and the reference may be given again", async () => {
  using world = await openAccounts();
  const { kv } = world;
  const asked = { ...PLAIN, name: "Grace", reference: "s-17" };
  const { account: { id } } = await createReferredAccount(kv, asked, madeBy());
  await ban(kv, id, "Sold the key");
  const { text } = await world.key({ accountId: id, label: "laptop" });
  assert.equal(await deleteAccount(kv, id, madeBy(START + 1)), true);
  assert.equal(await deleteAccount(kv, "acc_000000000000", madeBy()), false);
  const headers = new Headers({ authorization: `Bearer ${text}` });
  await assert.rejects(world.authenticator().authenticate(headers), { code: "unauthorized" });
  for await (const { key, value } of kv.list({ prefix: [] })) {
    assert.doesNotMatch(Deno.inspect([key, value], { depth: 9 }), /Grace|s-17|Sold|laptop/);
  }
  assert.ok((await createReferredAccount(kv, asked, madeBy())).isNew);
});

Deno.test("a person who deletes an account and returns gets the same one, with what it has spent and what was set, and without its keys", async () => {
  using world = await openAccounts();
  const { kv } = world;
  const person = { owner: ADA, name: "Ada", verified: null };
  const returnAt = async (days: number) => await provisionAccount(kv, person, START + days * DAY);
  const first = await returnAt(0);
  const { key } = await world.key({ accountId: first.id });
  const leave = () => deleteAccount(kv, first.id, { at: START, by: { accountId: first.id } });
  await leave();
  const same = await returnAt(0.1);
  assert.deepEqual(same, first);
  assert.equal((await getKey(kv, key.id))?.revoked, true);
  const told = (await Array.fromAsync(listAuditLog(kv))).flatMap(({ what }) => what);
  assert.ok(told.includes("return") && told.includes("delete"), String(told));
  await ban(kv, first.id, "Sold the key");
  await leave();
  const banned = await returnAt(300);
  assert.deepEqual([banned.id, banned.banned, banned.name], [first.id, true, "Ada"]);
  await updateAccount(kv, first.id, { banned: false }, madeBy());
  await leave();
  assert.notEqual((await returnAt(1)).id, first.id, "nothing was set, and the day is over");
});
