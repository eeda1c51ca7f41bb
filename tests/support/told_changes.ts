/** Proves that the audit log tells each account and key as it is. */

import assert from "node:assert/strict";
import { type Account, listAccounts } from "../../lib/accounts/account.ts";
import { type AuditEntry, listAuditEntries } from "../../lib/accounts/audit_log.ts";
import { listKeys } from "../../lib/accounts/key.ts";

/** The entries of an account, the oldest first. */
export const listTold = (kv: Deno.Kv, accountId: string): Promise<AuditEntry[]> =>
  Array.fromAsync(listAuditEntries(kv, accountId));

/** The members of an account, or of a key, as its entries leave them. */
export const replay = (changes: readonly AuditEntry[], keyId?: string) =>
  Object.assign({}, ...changes.filter((each) => each.keyId === keyId).map(({ after }) => after));

/**
 * Replays the entries of every account: they lead to what is stored, and none is there twice. No two changes of an
 * account may be of the same time.
 *
 * @returns the number of accounts.
 */
export async function assertTold(kv: Deno.Kv, about = ""): Promise<number> {
  const accounts = await Array.fromAsync(listAccounts(kv));
  for (const account of accounts) await assertToldOf(kv, account, about);
  return accounts.length;
}

async function assertToldOf(kv: Deno.Kv, account: Account, about: string): Promise<void> {
  const { id, limitNanoUsd, banned, deletedAt } = account;
  const changes = await listTold(kv, id);
  const told = replay(changes);
  assert.deepEqual(
    [told["limitNanoUsd"] ?? null, told["banned"] ?? false, told["deletedAt"]],
    [limitNanoUsd, banned, deletedAt],
    about,
  );
  const keys = await listKeys(kv, id);
  const created = changes.filter(({ what, keyId }) => keyId && what[0] === "create");
  assert.deepEqual(
    created.map(({ keyId }) => keyId).sort(),
    keys.map(({ id }) => id).sort(),
    about,
  );
  for (const { id, revokedAt, revoked, cap } of keys) {
    const told = replay(changes, id);
    assert.deepEqual(
      [told["revokedAt"] ?? null, told["revoked"] ?? false, told["cap"] ?? undefined],
      [revokedAt, revoked, cap],
      about,
    );
  }
  for (const keyId of [undefined, ...keys.map(({ id }) => id)]) assertChain(changes, keyId, about);
  const all = changes.map(({ at, keyId, what }) => `${at} ${keyId} ${what}`);
  assert.equal(new Set(all).size, all.length, `${about}: nothing is told twice`);
}

/** Each entry begins with what the entries before have left. */
function assertChain(
  changes: readonly AuditEntry[],
  keyId: string | undefined,
  about: string,
): void {
  const state: Record<string, unknown> = {};
  for (const { what, before, after } of changes.filter((each) => each.keyId === keyId)) {
    for (const [name, value] of Object.entries(before ?? {})) {
      assert.deepEqual(value || null, state[name] || null, `${about}: ${name} before ${what}`);
    }
    Object.assign(state, after);
  }
}
