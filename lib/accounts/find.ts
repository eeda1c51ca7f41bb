/** Finds accounts for people: by a word of the name, by the reference, or by the id. */

import { getEntries, getRange, listEntries } from "../platform/kv/list.ts";
import { type Account, accountKey, getAccount, knownAccount } from "./account.ts";
import {
  ANY_NAME,
  foldName,
  nameKeys,
  nameRange,
  nameTexts,
  wholeNamePrefix,
} from "./account_name.ts";
import { getAccountByReference } from "./reference.ts";

/** How many accounts a page has. */
const PAGE = 50;

/** A page of accounts, in the order of their names. */
interface AccountPage {
  readonly accounts: readonly Account[];
  /** The `after` of the next page; null for the last one. */
  readonly next: string | null;
}

/**
 * Finds the accounts that a word names: the one with it as id or as reference, then those of whose name a word begins
 * with it. Case and marks make no difference. An empty word finds every account that is not deleted.
 *
 * @param after `next` of the page before. If its account has another name by now, the first page follows.
 */
export async function findAccounts(
  kv: Deno.Kv,
  word: string,
  after: string | null = null,
): Promise<AccountPage> {
  const text = word.trim();
  const named = text === "" ? null : await getNamed(kv, text);
  const folded = foldName(text) || ANY_NAME;
  const last = after === null ? null : await getAccount(kv, after);
  const accounts = named === null || after !== null ? [] : [named];
  let from = last === null ? null : entryOf(last, folded);
  for (;;) {
    const entries = await getRange(kv, nameRange(folded, from), PAGE + 1);
    const read = await getEntries<Account>(
      kv,
      entries.map(({ key }) => accountKey(String(key[2]))),
    );
    for (const [at, { key }] of entries.entries()) {
      from = key;
      const account = knownAccount(read[at]?.value ?? null);
      // A name whose words begin alike has several entries, and counts by the first of them.
      if (account === null || account.id === named?.id) continue;
      if (entryOf(account, folded)?.[1] !== key[1]) continue;
      const previous = accounts.at(-1);
      if (accounts.length >= PAGE && previous !== undefined) {
        return { accounts, next: previous.id };
      }
      accounts.push(account);
    }
    if (entries.length <= PAGE) return { accounts, next: null };
  }
}

/** The account with an id or a reference, or else all accounts of this whole name, without case and marks. */
export async function listAccountsNamed(kv: Deno.Kv, text: string): Promise<Account[]> {
  const named = await getNamed(kv, text);
  if (named !== null) return [named];
  const entries = await Array.fromAsync(listEntries(kv, wholeNamePrefix(text)));
  const read = await getEntries<Account>(kv, entries.map(({ key }) => accountKey(String(key[2]))));
  return read.flatMap(({ value }) => knownAccount(value) ?? []);
}

/** The account with an id or, failing that, a reference. */
async function getNamed(kv: Deno.Kv, text: string): Promise<Account | null> {
  return await getAccount(kv, text) ?? await getAccountByReference(kv, text);
}

/** The entry by which an account counts in a search; null if it has none. */
function entryOf(account: Account, folded: string): Deno.KvKey | null {
  const at = nameTexts(account.name).findIndex((text) => text.startsWith(folded));
  return nameKeys(account)[at] ?? null;
}
