/** Accounts: created, found, listed, changed. */

import assert from "node:assert/strict";
import { NewerVersionError } from "../../../lib/platform/kv/write.ts";
import {
  createAccount,
  getAccount,
  listAccounts,
  updateAccount,
} from "../../../lib/proxy/accounts/account.ts";
import { openAccounts } from "../../support/accounts.ts";
import { madeBy } from "../../support/made_by.ts";

const PLAIN = { name: "Weather bot", limitNanoUsd: null, verified: true };

Deno.test("names that would disguise or break something, and negative limits, are refused, and nothing is stored", async () => {
  await using world = await openAccounts();
  const bad = ["", "  ", " a", "a ", "a\nb", "a\x1b[31mb", "a\u202eb", "a\u2028b", "\ud800"];
  for (const name of [...bad, "x".repeat(101), "acc_000000000000"]) {
    await assert.rejects(createAccount(world.kv, { ...PLAIN, name }, madeBy()), RangeError, name);
  }
  const limitNanoUsd = -1n;
  await assert.rejects(createAccount(world.kv, { ...PLAIN, limitNanoUsd }, madeBy()), RangeError);
  const good = ["a", "Wetter-Bot für Zürich", "天気", "👩‍🌾".slice(0, 2), "x".repeat(100), "acc_1"];
  for (const name of good) await createAccount(world.kv, { ...PLAIN, name }, madeBy());
  const accounts = await Array.fromAsync(listAccounts(world.kv));
  assert.equal(accounts.length, good.length);
  const later = updateAccount(world.kv, accounts[0]?.id ?? "", { limitNanoUsd }, madeBy());
  await assert.rejects(later, RangeError);
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
