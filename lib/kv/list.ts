/**
 * Reading entries, each only if it is of a format that this version knows (`formats.ts`), in portions of the
 * size that KV allows, while other processes may hold its lock.
 */

import { type Entry, NewerFormatError, readable } from "./formats.ts";
import { retryLocked } from "./open.ts";

const PAGE = 100;
/** KV reads at most ten keys at once. */
const KEYS_PER_READ = 10;

/**
 * What {@linkcode NewerFormatError} does to a reading of many entries: without such a function it ends it;
 * with one, the function hears of it, and the entry is left out.
 */
export type LeaveOut = (error: NewerFormatError) => void;

/**
 * Reads an entry.
 *
 * @throws {NewerFormatError} for a kept value of a newer format.
 */
export async function getEntry<T>(kv: Pick<Deno.Kv, "get">, key: Deno.KvKey): Promise<Entry<T>> {
  return readable(await retryLocked(() => kv.get<T>(key)));
}

/**
 * The entries of some keys, in their order. Each portion of ten is read at one moment.
 *
 * @throws {NewerFormatError} for a kept value of a newer format.
 */
export async function getEntries<T>(
  kv: Deno.Kv,
  keys: readonly Deno.KvKey[],
): Promise<Entry<T>[]> {
  return (await readMany<T>(kv, keys)).map((entry) => readable(entry));
}

/** The same, with null in the place of each that is of a newer format. */
export async function getKnownEntries<T>(
  kv: Deno.Kv,
  keys: readonly Deno.KvKey[],
  leaveOut: LeaveOut,
): Promise<(Entry<T> | null)[]> {
  return (await readMany<T>(kv, keys)).map((entry) => unlessNewer(entry, leaveOut));
}

/**
 * Gives the entries under a prefix in the order of their keys, `before` a key if one is named. Each page of
 * 100 is read at one moment; an entry that is written meanwhile may or may not be among them.
 *
 * @throws {NewerFormatError} for a kept value of a newer format, unless such are left out.
 */
export async function* listEntries<T>(
  kv: Deno.Kv,
  prefix: Deno.KvKey,
  { leaveOut, before }: { readonly leaveOut?: LeaveOut; readonly before?: Deno.KvKey } = {},
): AsyncGenerator<Deno.KvEntry<T>> {
  const selector = before === undefined ? { prefix } : { prefix, end: before };
  let cursor = "";
  do {
    const page = await retryLocked(() => readPage<T>(kv, selector, cursor));
    for (const entry of page.entries) {
      const known = leaveOut === undefined ? readable(entry) : unlessNewer(entry, leaveOut);
      if (known === entry) yield entry;
    }
    cursor = page.cursor;
  } while (cursor !== "");
}

async function readMany<T>(
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

function unlessNewer<T>(entry: Deno.KvEntryMaybe<T>, leaveOut: LeaveOut): Entry<T> | null {
  try {
    return readable(entry);
  } catch (error) {
    if (!(error instanceof NewerFormatError)) throw error;
    leaveOut(error);
    return null;
  }
}

/** One page, and the cursor of the next: "" after the last. */
async function readPage<T>(kv: Deno.Kv, selector: Deno.KvListSelector, after: string) {
  const options = after === "" ? { limit: PAGE } : { limit: PAGE, cursor: after };
  const list = kv.list<T>(selector, { ...options, batchSize: PAGE });
  const entries: Deno.KvEntry<T>[] = [];
  for await (const entry of list) entries.push(entry);
  return { entries, cursor: entries.length < PAGE ? "" : list.cursor };
}
