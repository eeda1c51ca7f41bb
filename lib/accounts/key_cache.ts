/** Keys and their accounts as they were at most three seconds ago, in memory that is bounded. */

import { LRUCache } from "lru-cache";
import { getEntries, getEntry } from "../kv/mod.ts";
import { type Account, accountKey } from "./account.ts";
import { type ApiKey, keyKey } from "./key.ts";

/** How long a look-up is used for later requests, counted from the start of its read. */
const FRESH_MILLISECONDS = 3_000;
/** By then a change must be in force everywhere: an older look-up is not used. */
export const IN_FORCE_MILLISECONDS = 5_000;
/** After so many look-ups in a row that took too long, the database is at fault. */
const ATTEMPTS = 2;
/** About a kilobyte each. */
const MAX_KEYS = 10_000;

/** A key with its account; null for an id that no key has. */
type KeyLookup = { readonly key: ApiKey; readonly account: Account } | null;

interface Held {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly lookup: Promise<KeyLookup>;
  /** The account, once it is known: it never changes, so the next read can ask for both at once. */
  accountId: string | null;
}

/** What {@linkcode createKeyCache} needs. */
interface KeyCacheOptions {
  readonly kv: Deno.Kv;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** How many ids are remembered, known and unknown ones. */
  readonly maxKeys?: number;
}

/**
 * Makes the function that looks a key up by its public id. Look-ups of one key share one read; ids that
 * no key has are remembered too; a read that fails is not. The function throws what the database
 * throws, and an `Error` if its answers are too old when they come.
 */
export function createKeyCache(
  { kv, now, maxKeys = MAX_KEYS }: KeyCacheOptions,
): (id: string) => Promise<KeyLookup> {
  const cache = new LRUCache<string, Held>({ max: maxKeys });

  function hold(id: string): Held {
    const held = cache.get(id);
    const age = held === undefined ? Infinity : now() - held.startedAt;
    // A negative age: the clock was set back, and the entry would live on for as long.
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

/** Reads a key and its account: at once if the account's id is known, else one after the other. */
async function readKey(kv: Deno.Kv, id: string, accountId: string | null): Promise<KeyLookup> {
  if (accountId !== null) {
    const found = await getEntries<ApiKey | Account>(kv, [keyKey(id), accountKey(accountId)]);
    const [key, account] = found.map(({ value }) => value);
    // Each key has values of one kind.
    return join(key as ApiKey | null, account as Account | null);
  }
  const { value: key } = await getEntry<ApiKey>(kv, keyKey(id));
  if (key === null) return null;
  const account = await getEntry<Account>(kv, accountKey(key.accountId));
  return join(key, account.value);
}

function join(key: ApiKey | null, account: Account | null): KeyLookup {
  if (key === null) return null;
  if (account === null) throw new Error(`key ${key.id} is of ${key.accountId}, which is missing`);
  return { key, account };
}
