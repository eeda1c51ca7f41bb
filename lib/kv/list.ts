/** Reading many entries in portions of the size that KV allows, while other processes may hold its lock. */

import { retryLocked } from "./open.ts";

const PAGE = 100;
/** KV reads at most ten keys at once. */
const KEYS_PER_READ = 10;

/** The entries of some keys, in their order. Each portion of ten is read at one moment. */
export async function getEntries<T>(
  kv: Deno.Kv,
  keys: readonly Deno.KvKey[],
): Promise<Deno.KvEntryMaybe<T>[]> {
  const reads: Promise<Deno.KvEntryMaybe<T>[]>[] = [];
  for (let at = 0; at < keys.length; at += KEYS_PER_READ) {
    const some = keys.slice(at, at + KEYS_PER_READ);
    reads.push(retryLocked(() => kv.getMany<T[]>(some)));
  }
  return (await Promise.all(reads)).flat();
}

/**
 * Gives the entries under a prefix in the order of their keys. Each page of 100 is read at one moment;
 * an entry that is written meanwhile may or may not be among them.
 */
export async function* listEntries<T>(
  kv: Deno.Kv,
  prefix: Deno.KvKey,
): AsyncGenerator<Deno.KvEntry<T>> {
  let cursor = "";
  do {
    const page = await retryLocked(() => readPage<T>(kv, prefix, cursor));
    yield* page.entries;
    cursor = page.cursor;
  } while (cursor !== "");
}

/** One page, and the cursor of the next: "" after the last. */
async function readPage<T>(kv: Deno.Kv, prefix: Deno.KvKey, after: string) {
  const options = after === "" ? { limit: PAGE } : { limit: PAGE, cursor: after };
  const list = kv.list<T>({ prefix }, { ...options, batchSize: PAGE });
  const entries: Deno.KvEntry<T>[] = [];
  for await (const entry of list) entries.push(entry);
  return { entries, cursor: entries.length < PAGE ? "" : list.cursor };
}
