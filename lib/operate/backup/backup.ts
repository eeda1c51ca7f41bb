/**
 * A copy of everything in a database that cannot be made again, while the service runs.
 *
 * The database changes between the reads. Their order, together with `restore.ts`, makes the copy right:
 *
 *   reservations before usage records, so that a request that is settled in between is in one of them at least, and a
 *     request in both was settled;
 *   days after usage records: their sums are recomputed from the records and reservations;
 *   accounts and keys last, so that no key works before the money is there.
 */

import { getStoredBlob } from "../../platform/kv/blob.ts";
import { getEntry, listEntries, type Stored } from "../../platform/kv/list.ts";
import { setEntry } from "../../platform/kv/write.ts";
import { writeBackupFile } from "./file.ts";

/** The kinds that decide who may use the service, and the audit log, by the first part of their keys. They come last. */
export const ACCESS_KINDS: readonly string[] = [
  "change",
  "change_at",
  "key_of_account",
  "key_last_used",
  "key",
  "account_of_person",
  "account_of_reference",
  "account",
  "departed",
];

/**
 * Every kind that is copied, in the order of the copy. `blob events_history` is copied because reading the store again
 * cannot restore it. All other kinds are made again or are soon useless.
 */
const COPIED_KINDS: readonly string[] = [
  "blob events_history",
  "reservation",
  "usage",
  "ledger",
  "day",
  "health_day",
  "removed_until",
  ...ACCESS_KINDS,
];

/** Whether a value with this key is copied. */
export function isCopied([first, second]: Deno.KvKey): boolean {
  return COPIED_KINDS.some((kind) =>
    kind === first || kind === `${String(first)} ${String(second)}`
  );
}

/** How many of each a backup has. */
export interface Contents {
  readonly accounts: number;
  readonly keys: number;
  /** Usage records. */
  readonly records: number;
  /** Days of which there are sums. */
  readonly days: number;
}

/** Counts the values of a backup. */
export function createCounter() {
  const contents = { accounts: 0, keys: 0, records: 0, days: 0 };
  let lastDay: unknown = null;
  return {
    contents: contents satisfies Contents,
    add({ key }: Stored): void {
      if (key[0] === "account") contents.accounts++;
      if (key[0] === "key") contents.keys++;
      if (key[0] === "usage") contents.records++;
      // They are in the order of their days, each with an entry for every account.
      if (key[0] !== "day" || key[1] === lastDay) return;
      lastDay = key[1];
      contents.days++;
    },
  };
}

/**
 * Copies a database into a new file.
 *
 * @param now epoch milliseconds.
 * @param step is called for each value.
 */
export async function backUp(
  kv: Deno.Kv,
  path: string,
  now: number,
  step: () => void = () => {},
): Promise<Contents> {
  const counter = createCounter();
  async function* values() {
    for await (const stored of listKinds(kv, COPIED_KINDS)) {
      counter.add(stored);
      step();
      yield stored;
    }
  }
  await writeBackupFile(path, now, values());
  return counter.contents;
}

/** Yields the stored values of some kinds. */
export async function* listKinds(kv: Deno.Kv, kinds: readonly string[]): AsyncGenerator<Stored> {
  for (const kind of kinds) {
    const [first = "", name] = kind.split(" ");
    yield* name === undefined ? listEntries(kv, [first]) : await getStoredBlob(kv, name);
  }
}

const backupKey: Deno.KvKey = ["backup"];

/** Stores when the last copy of a database was begun. */
export async function setBackupTime(kv: Deno.Kv, at: number): Promise<void> {
  await setEntry(kv, backupKey, at);
}

/** When the last copy of a database was begun (epoch milliseconds); null if none was made. */
export async function readBackupTime(kv: Deno.Kv): Promise<number | null> {
  return (await getEntry<number>(kv, backupKey)).value;
}
