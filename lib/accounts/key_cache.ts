/** A bounded cache of keys with their accounts. No request uses a look-up older than five seconds. */

import { LRUCache } from "lru-cache";
import { getEntries } from "../platform/kv/list.ts";
import { type Account, accountKey, getAccount, knownAccount } from "./account.ts";
import { type ApiKey, keyKey } from "./key.ts";

/** How long later requests use a look-up, counted from the start of its read. */
const FRESH_MILLISECONDS = 3_000;
/** A change is in force everywhere after this time: no request uses an older look-up. */
export const IN_FORCE_MILLISECONDS = 5_000;
/** A request gives up after this many look-ups that take too long. */
const ATTEMPTS = 2;
/** About a kilobyte each. */
const MAX_KEYS = 10_000;

/** A key with its account; null if no key has the id. */
type KeyLookup = { readonly key: ApiKey; readonly account: Account } | null;

interface Held {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly lookup: Promise<KeyLookup>;
  /** The id of the key's account, once known. It never changes, so the next read gets both at once. */
  accountId: string | null;
}

/**
 * Creates the function that looks up a key by its public id. Concurrent look-ups of one key share one read. Ids that
 * no key has are cached too; failed reads are not. The function throws the database's errors, and an `Error` if its
 * reads take too long.
 */
export function createKeyCache(
  kv: Deno.Kv,
  now: () => number,
): (id: string) => Promise<KeyLookup> {
  const cache = new LRUCache<string, Held>({ max: MAX_KEYS });

  function hold(id: string): Held {
    const held = cache.get(id);
    const age = held === undefined ? Infinity : now() - held.startedAt;
    // A negative age means that the clock was set back: the entry would stay fresh for that much longer.
    if (held !== undefined && age >= 0 && age < FRESH_MILLISECONDS) return held;
    const accountId = held?.accountId ?? null;
    const next: Held = { startedAt: now(), lookup: readKey(kv, id, accountId), accountId };
    cache.set(id, next);
    next.lookup.then(
      (found) => next.accountId = found?.key.accountId ?? null,
      () => {
        if (cache.peek(id) === next) cache.delete(id);
      },
    );
    return next;
  }

  return async function lookUpKey(id) {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const { lookup, startedAt } = hold(id);
      const found = await lookup;
      if (now() - startedAt <= IN_FORCE_MILLISECONDS) return found;
    }
    throw new Error(`the database takes more than ${IN_FORCE_MILLISECONDS} ms to find a key`);
  };
}

/** Reads a key and its account: together if the account's id is known, else one after the other. */
async function readKey(kv: Deno.Kv, id: string, accountId: string | null): Promise<KeyLookup> {
  const keys = [keyKey(id), ...accountId === null ? [] : [accountKey(accountId)]];
  const values = (await getEntries<ApiKey | Account>(kv, keys)).map(({ value }) => value);
  // Each KV key holds values of one kind.
  const [key, known] = values as [ApiKey | null, (Account | null)?];
  if (key === null) return null;
  const account = known === undefined ? await getAccount(kv, key.accountId) : knownAccount(known);
  if (account !== null) return { key, account };
  throw new Error(`the account ${key.accountId} of the key ${key.id} is missing`);
}
