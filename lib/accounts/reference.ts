/** Accounts with a reference of the organisation's own, such as a student number: no two have the same one. */

import { beginAtomic } from "../platform/kv/write.ts";
import { getEntries } from "../platform/kv/list.ts";
import type { Origin } from "./audit_log.ts";
import {
  type Account,
  accountKey,
  assertValid,
  buildAccount,
  commitAccount,
  findLabelFault,
  knownAccount,
  type NewAccount,
} from "./account.ts";

/** Where the id of the account with a reference is stored. */
export const indexKey = (reference: string): Deno.KvKey => ["account_of_reference", reference];

/** Checks a reference as {@linkcode findLabelFault} does; it must be ASCII too. */
export function findReferenceFault(reference: string): string | null {
  const isAscii = /^[\x20-\x7e]*$/.test(reference);
  return isAscii ? findLabelFault(reference) : "has a character other than printable ASCII";
}

/** The account with a reference, or null if there is none. The reference may be any text. */
export async function getAccountByReference(
  kv: Deno.Kv,
  reference: string,
): Promise<Account | null> {
  // A key holds no long text.
  if (findReferenceFault(reference) !== null) return null;
  return (await getAccountsByReference(kv, [reference]))[0] ?? null;
}

/** The accounts with some references, in their order; null for each that has none. */
export async function getAccountsByReference(
  kv: Deno.Kv,
  references: readonly string[],
): Promise<(Account | null)[]> {
  const ids = await getEntries<string>(kv, references.map(indexKey));
  const known = ids.flatMap(({ value }) => value === null ? [] : [value]);
  const accounts = await getEntries<Account>(kv, known.map(accountKey));
  const byId = new Map(accounts.map(({ value }) => [value?.id ?? "", knownAccount(value)]));
  return ids.map(({ value }) => value === null ? null : byId.get(value) ?? null);
}

/**
 * Creates an account with a reference, unless there is one with it already.
 *
 * @throws {InvalidValueError} for an invalid name or a negative limit.
 */
export async function createReferredAccount(
  kv: Deno.Kv,
  asked: NewAccount & { readonly reference: string },
  origin: Origin,
): Promise<{ readonly account: Account; readonly isNew: boolean }> {
  assertValid(asked);
  const { reference } = asked;
  for (;;) {
    const known = await getAccountByReference(kv, reference);
    if (known !== null) return { account: known, isNew: false };
    const account: Account = { ...buildAccount(asked, origin.at), reference };
    const key = indexKey(reference);
    const operation = beginAtomic(kv).check({ key, versionstamp: null }).set(key, account.id);
    if (await commitAccount(kv, operation, account, origin)) return { account, isNew: true };
  }
}
