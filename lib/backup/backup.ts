/**
 * A copy of everything in a database that cannot be made again, while the service runs.
 *
 * Nothing that it holds has a lifetime (`lib/kv/formats.ts` sees to that). What has one, such as sessions and rate
 * windows, is made again, and so are events, model lists and health.
 *
 * Many reads are not one moment. The order makes the copy right all the same (`restore.ts` does its part):
 *
 *   markers and rows of the analytics store before usage records, so that each row has its record;
 *   reservations before usage records, so that a request in between is in one of them at least, and one that is in
 *   both was settled;
 *   days after usage records: their sums are recomputed from the records and reservations;
 *   accounts and keys last, so that no key works before the money is there.
 */

import { getStoredBlob, KEPT_KINDS, listStored, type Stored } from "../kv/mod.ts";
import { type Backup, writeBackupFile } from "./file.ts";

/** What is copied first, in this order. */
const FIRST = ["outbox", "analytics rows", "analytics pages", "reservations", "usage"];
/** What says who may use the service, which is copied last, in this order. */
const PEOPLE = [
  "key_of_account",
  "key_last_used",
  "key",
  "account_of_person",
  "account_of_reference",
  "account",
];
/** It can be made again, but not at once. */
const MADE = ["days_seen", "key_last_used"];
/** What isolates have set aside; those of a restored database are others. */
const OF_ISOLATES = ["service_day"];
/** What is copied before the people; a new kind that cannot be made again is copied too. */
const KINDS = new Set([...FIRST, ...KEPT_KINDS, ...MADE]).difference(
  new Set([...PEOPLE, ...OF_ISOLATES]),
);
/** The snapshot can be made again, but not its history of changes and withdrawn events. */
const BLOB = "events";

/** Whether a value says who may use the service: an account, a key, or an index of them. */
export function isOfPeople({ key }: Stored): boolean {
  return PEOPLE.includes(String(key[0]));
}

/** Yields what says who may use the service. */
export async function* listPeople(kv: Deno.Kv): AsyncGenerator<Stored> {
  for (const kind of PEOPLE) yield* listStored(kv, [kind]);
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
  yield* listPeople(kv);
}
