/** Reading entries, in batches of the size that KV allows. */

import { retryLocked } from "./open.ts";

const BATCH = 100;
/** KV reads at most ten keys at once. */
const KEYS_PER_READ = 10;

/** An entry as it was read; the value and the versionstamp are null if there is none. */
export interface Entry<T> {
  readonly key: Deno.KvKey;
  readonly value: T | null;
  readonly versionstamp: string | null;
}

/** Reads an entry. */
export async function getEntry<T>(kv: Pick<Deno.Kv, "get">, key: Deno.KvKey): Promise<Entry<T>> {
  return await retryLocked(() => kv.get<T>(key));
}

/** The entries of some keys, in their order. Each batch of ten is one consistent read. */
export async function getEntries<T>(
  kv: Deno.Kv,
  keys: readonly Deno.KvKey[],
): Promise<Entry<T>[]> {
  const reads: Promise<Deno.KvEntryMaybe<T>[]>[] = [];
  for (let at = 0; at < keys.length; at += KEYS_PER_READ) {
    const some = keys.slice(at, at + KEYS_PER_READ);
    reads.push(retryLocked(() => kv.getMany<T[]>(some)));
  }
  return (await Promise.all(reads)).flat();
}

/**
 * The entries of some keys that differ in their last part alone and are in order. One range costs less than reads by
 * tens if most entries between the first and the last are wanted. So at most twice as many are read as there are keys,
 * and those that were not among them singly.
 */
export async function getNeighbours<T>(
  kv: Deno.Kv,
  keys: readonly Deno.KvKey[],
): Promise<Entry<T>[]> {
  const [start, last] = [keys[0], keys.at(-1)];
  if (start === undefined || last === undefined) return [];
  // The end is the key after the last one.
  const range: Entry<T>[] = await getRange<T>(kv, { start, end: [...last, 0] }, 2 * keys.length);
  const found = new Map(range.map((entry) => [entry.key.at(-1), entry]));
  const missing = keys.filter((key) => !found.has(key.at(-1)));
  for (const entry of await getEntries<T>(kv, missing)) found.set(entry.key.at(-1), entry);
  return keys.flatMap((key) => found.get(key.at(-1)) ?? []);
}

/**
 * Yields the entries under a prefix in the order of their keys. Each batch of 100 is one consistent read; an entry that
 * is written meanwhile may or may not be included.
 */
export async function* listEntries<T>(
  kv: Deno.Kv,
  prefix: Deno.KvKey,
  options: ListOptions = {},
): AsyncGenerator<Deno.KvEntry<T>> {
  for await (const batch of listBatches<T>(kv, prefix, options)) yield* batch;
}

/** Which entries under a prefix are listed, and in which order. */
interface ListOptions {
  /** Only entries from this key on. */
  readonly from?: Deno.KvKey;
  /** Begins with the last key. */
  readonly isReversed?: boolean;
  /** How many entries are read at once (100). */
  readonly batchSize?: number;
}

/** Yields the entries of {@linkcode listEntries} a batch at a time, which is faster where there are many. */
export async function* listBatches<T>(
  kv: Deno.Kv,
  prefix: Deno.KvKey,
  { from, isReversed: reverse = false, batchSize = BATCH }: ListOptions = {},
): AsyncGenerator<Deno.KvEntry<T>[]> {
  const selector = from === undefined ? { prefix } : { prefix, start: from };
  let cursor = "";
  do {
    yield await retryLocked(async () => {
      const options = { limit: batchSize, batchSize, reverse, ...cursor !== "" && { cursor } };
      const list = kv.list<T>(selector, options);
      const entries = await Array.fromAsync(list);
      cursor = entries.length < batchSize ? "" : list.cursor;
      return entries;
    });
  } while (cursor !== "");
}

/** The first entries from one key to before another: one consistent read. */
export async function getRange<T>(
  kv: Deno.Kv,
  range: { readonly start: Deno.KvKey; readonly end: Deno.KvKey },
  limit: number,
): Promise<Deno.KvEntry<T>[]> {
  return await retryLocked(() => Array.fromAsync(kv.list<T>(range, { limit, batchSize: limit })));
}

/** A stored value and its key. */
export interface Stored {
  readonly key: Deno.KvKey;
  readonly value: unknown;
  /** To set it: its lifetime in milliseconds; absent if it has none. */
  readonly expireIn?: number;
}

/** Whether any entry is under a prefix: one read. */
export async function hasEntries(kv: Deno.Kv, prefix: Deno.KvKey): Promise<boolean> {
  const { done } = await retryLocked(() => kv.list({ prefix }, { limit: 1 }).next());
  return done !== true;
}
