/** Accounts in the database: changes at once, other versions, and people who return. */

import assert from "node:assert/strict";
import { NewerVersionError } from "../../lib/platform/kv/write.ts";
import {
  createAccount,
  getAccount,
  listAccounts,
  updateAccount,
} from "../../lib/accounts/account.ts";
import { listAuditLog } from "../../lib/accounts/audit_log.ts";
import { deleteAccount, provisionAccount } from "../../lib/accounts/owner.ts";
import { getKey } from "../../lib/accounts/key.ts";
import { DAY, openAccounts, START } from "../support/accounts.ts";
import { madeBy } from "../support/made_by.ts";

const ADA = { issuer: "https://id.example", subject: "ada" };

const ban = (kv: Deno.Kv, id: string, banReason: string | null) =>
  updateAccount(kv, id, { banned: true, banReason }, madeBy());

Deno.test("a negative limit is refused, and nothing is stored", async () => {
  using world = await openAccounts();
  const limitNanoUsd = -1n;
  const asked = { name: "bot", verified: true, limitNanoUsd };
  await assert.rejects(createAccount(world.kv, asked, madeBy()), RangeError);
  assert.deepEqual(await Array.fromAsync(listAccounts(world.kv)), []);
  const { id } = await world.account();
  for (const change of [{ limitNanoUsd }, { grant: { limitNanoUsd, until: START } }]) {
    await assert.rejects(updateAccount(world.kv, id, change, madeBy()), RangeError);
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
