/** A process that changes accounts and keys of the database `KV_PATH` until it is killed; prints a line for each account. */
// deno-lint-ignore-file no-console -- the test that starts this counts the lines

import { createAccount, updateAccount } from "../../lib/accounts/account.ts";
import { createKey, revokeKey, rotateKey } from "../../lib/accounts/key.ts";
import { openKv } from "../../lib/platform/kv/open.ts";
import { madeBy } from "./made_by.ts";

const kv = await openKv(Deno.env.get("KV_PATH"));
let at = Date.parse("2026-11-21T12:00:00Z");
for (;;) {
  const next = () => madeBy(at += 1_000);
  const asked = { name: "bot", limitNanoUsd: 1n, verified: true };
  const { id } = await createAccount(kv, asked, next());
  for (const limitNanoUsd of [2n, 3n]) await updateAccount(kv, id, { limitNanoUsd }, next());
  const { key } = await createKey(kv, { accountId: id, label: null, expiresAt: null }, next());
  const rotation = await rotateKey(kv, key.id, { overlapMilliseconds: 60_000 }, next());
  if (rotation.kind === "rotated") await revokeKey(kv, rotation.key.id, next());
  await updateAccount(kv, id, { banned: true }, next());
  console.log(id);
}
