/**
 * A copy of everything in a database that cannot be made again, while the service runs.
 *
 * Values with a lifetime, such as sessions and rate windows, are made again, and so are events, model lists and health.
 * Only the marks of people who deleted an account that day are copied: they would have a second daily limit.
 *
 * The database changes between the reads. Their order, together with `restore.ts`, makes the copy right:
 *
 *   markers and rows of the analytics store before usage records, so that each row has its record;
 *   reservations before usage records, so that a request that is settled in between is in one of them at least, and a
 *     request in both was settled;
 *   days after usage records: their sums are recomputed from the records and reservations;
 *   accounts and keys last, so that no key works before the money is there.
 */

import { getStoredBlob, KEPT_KINDS, listStored, type Stored } from "../kv/mod.ts";
import { type Backup, writeBackupFile } from "./file.ts";

/** The kinds that are copied first, in this order. */
const FIRST = ["outbox", "analytics rows", "analytics pages", "reservations", "usage"];
/** The kinds that say who may use the service. They are copied last, in this order. */
const ACCESS = [
  "key_of_account",
  "key_last_used",
  "key",
  "account_of_person",
  "account_of_reference",
  "account",
  "departed",
  "restriction",
];
/** It can be made again, but not at once. */
const MADE = ["days_seen", "key_last_used"];
/** The allowances of isolates: a restored database has other isolates. */
const OF_ISOLATES = ["service_day"];
/** The kinds that are copied before those. A new kept kind is copied too. */
const KINDS = new Set([...FIRST, ...KEPT_KINDS, ...MADE]).difference(
  new Set([...ACCESS, ...OF_ISOLATES]),
);
/** The snapshot can be made again, but not its history of changes and withdrawn events. */
const BLOB = "events";

/** Whether a value decides who may use the service: an account, a key, or an index of them. */
export function isAccess({ key }: Stored): boolean {
  return ACCESS.includes(String(key[0]));
}

/** Yields the values that decide who may use the service. */
export async function* listAccess(kv: Deno.Kv): AsyncGenerator<Stored> {
  for (const kind of ACCESS) yield* listStored(kv, [kind]);
}

/**
 * Copies a database into a new file.
 *
 * @param now epoch milliseconds.
 * @param onProgress gets the number of values so far.
 */
export function backUp(
  kv: Deno.Kv,
  path: string,
  now: number,
  onProgress?: (count: number) => void,
): Promise<Backup> {
  return writeBackupFile(path, now, listAll(kv), onProgress);
}

async function* listAll(kv: Deno.Kv): AsyncGenerator<Stored> {
  yield* await getStoredBlob(kv, BLOB);
  for (const kind of KINDS) yield* listStored(kv, kind.split(" "));
  yield* listAccess(kv);
}
