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
import { getEntry, listStored, type Stored } from "../../platform/kv/list.ts";
import { setEntry } from "../../platform/kv/write.ts";
import { type Backup, writeBackupFile } from "./file.ts";
import { ACCESS_KINDS, COPIED_KINDS, lifetimeOf } from "./kinds.ts";

/**
 * Copies a database into a new file.
 *
 * @param now epoch milliseconds.
 */
export function backUp(kv: Deno.Kv, path: string, now: number): Promise<Backup> {
  return writeBackupFile(path, now, listKinds(kv, COPIED_KINDS, now));
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

/** Yields the values that decide who may use the service, as {@linkcode backUp} copies them. */
export function listAccess(kv: Deno.Kv, now: number): AsyncGenerator<Stored> {
  return listKinds(kv, ACCESS_KINDS, now);
}

/** Yields values with the rest of their lifetimes, without those whose lifetime has ended. */
async function* listKinds(
  kv: Deno.Kv,
  kinds: readonly string[],
  now: number,
): AsyncGenerator<Stored> {
  for (const kind of kinds) {
    const prefix = kind.split(" ");
    const [first, name = ""] = prefix;
    const values = first === "blob" ? await getStoredBlob(kv, name) : listStored(kv, prefix);
    for await (const { key, value } of values) {
      const expireIn = lifetimeOf({ key, value }, now);
      if (expireIn === null) yield { key, value };
      else if (expireIn > 0) yield { key, value, expireIn };
    }
  }
}
