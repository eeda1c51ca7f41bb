/** Reading entries of the formats that this version knows (`formats.ts`), in batches of the size that KV allows. */

import { type Entry, type LeaveOut, readable } from "./formats.ts";
import { retryLocked } from "./open.ts";

const BATCH = 100;
/** KV reads at most ten keys at once. */
const KEYS_PER_READ = 10;

/**
 * Reads an entry.
 *
 * @throws {NewerFormatError} for a kept value of a newer format.
 */
export async function getEntry<T>(kv: Pick<Deno.Kv, "get">, key: Deno.KvKey): Promise<Entry<T>> {
  return readable(await retryLocked(() => kv.get<T>(key)));
}

/**
 * The entries of some keys, in their order. Each batch of ten is one consistent read.
 *
 * @throws {NewerFormatError} for a kept value of a newer format, unless `leaveOut` is given.
 */
export async function getEntries<T>(
  kv: Deno.Kv,
  keys: readonly Deno.KvKey[],
  leaveOut?: LeaveOut,
): Promise<Entry<T>[]> {
  const reads: Promise<Deno.KvEntryMaybe<T>[]>[] = [];
  for (let at = 0; at < keys.length; at += KEYS_PER_READ) {
    const some = keys.slice(at, at + KEYS_PER_READ);
    reads.push(retryLocked(() => kv.getMany<T[]>(some)));
  }
  return (await Promise.all(reads)).flat().map((entry) => readable(entry, leaveOut));
}

/**
 * Yields the entries under a prefix in the order of their keys, up to `before` if given. Each batch of 100 is one
 * consistent read; an entry that is written meanwhile may or may not be included.
 *
 * @throws {NewerFormatError} for a kept value of a newer format, unless `leaveOut` is given.
 */
export async function* listEntries<T>(
  kv: Deno.Kv,
  prefix: Deno.KvKey,
  { leaveOut, before }: { readonly leaveOut?: LeaveOut; readonly before?: Deno.KvKey } = {},
): AsyncGenerator<Deno.KvEntry<T>> {
  const selector = before === undefined ? { prefix } : { prefix, end: before };
  for await (const entry of listBatches<T>(kv, selector)) {
    if (readable(entry, leaveOut) === entry) yield entry;
  }
}

/** A stored value and its key. */
export interface Stored {
  readonly key: Deno.KvKey;
  readonly value: unknown;
  /** To set it: its lifetime in milliseconds; absent if it has none. */
  readonly expireIn?: number;
}

/** Yields values under a prefix as they are stored, whatever their format: for backups, which interpret nothing. */
export function listStored(kv: Deno.Kv, prefix: Deno.KvKey): AsyncIterable<Stored> {
  return listBatches(kv, { prefix });
}

async function* listBatches<T>(
  kv: Deno.Kv,
  selector: Deno.KvListSelector,
): AsyncGenerator<Deno.KvEntry<T>> {
  let cursor = "";
  do {
    yield* await retryLocked(async () => {
      const options = { limit: BATCH, batchSize: BATCH, ...cursor !== "" && { cursor } };
      const list = kv.list<T>(selector, options);
      const entries = await Array.fromAsync(list);
      cursor = entries.length < BATCH ? "" : list.cursor;
      return entries;
    });
  } while (cursor !== "");
}

/** Whether any entry is under a prefix, of whatever format: one read. */
export async function hasEntries(kv: Deno.Kv, prefix: Deno.KvKey): Promise<boolean> {
  const { done } = await retryLocked(() => kv.list({ prefix }, { limit: 1 }).next());
  return done !== true;
}

/** The last values under a prefix by the order of their keys, the last one first, without those of a newer format. */
export async function listLatestEntries<T>(
  kv: Deno.Kv,
  prefix: Deno.KvKey,
  limit: number,
): Promise<T[]> {
  const options = { limit, reverse: true, batchSize: Math.min(limit, BATCH) };
  const entries = await retryLocked(() => Array.fromAsync(kv.list<T>({ prefix }, options)));
  return entries.map((entry) => readable(entry, () => {}).value).filter((value) => value !== null);
}
