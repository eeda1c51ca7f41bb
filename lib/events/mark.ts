/**
 * The mark: the record store has changed, or was asked to be read. It is stored before its sender gets a response, so
 * a crash loses none. A snapshot serves a mark if its read began after the mark was stored, by the database's own
 * order: clocks may differ.
 */

import { beginAtomic, commitOnce, getBlobPointer, getEntry } from "../kv/mod.ts";
import type { Mark } from "./refresh_rule.ts";
import { SNAPSHOT_NAME, type SnapshotMeta } from "./snapshot.ts";

type StoredMark = Pick<Mark, "firstAt" | "lastAt">;

const markKey: Deno.KvKey = ["events", "mark"];

/** Stores a mark. @param now epoch milliseconds. */
export async function setMark(kv: Deno.Kv, now: number): Promise<void> {
  while (true) {
    const entry = await getEntry<StoredMark>(kv, markKey);
    const { pointer } = await getBlobPointer<SnapshotMeta>(kv, SNAPSHOT_NAME);
    const waiting = entry.value !== null && entry.versionstamp !== pointer?.meta.markServed;
    const firstAt = waiting ? entry.value.firstAt : now;
    const mark: StoredMark = { firstAt, lastAt: now };
    const operation = beginAtomic(kv).check(entry).set(markKey, mark);
    if ((await commitOnce(kv, operation, markKey, mark)).ok) return;
  }
}

/** The mark; null if there is none. */
export async function readMark(kv: Deno.Kv): Promise<Mark | null> {
  const { value, versionstamp } = await getEntry<StoredMark>(kv, markKey);
  return value === null || versionstamp === null ? null : { ...value, version: versionstamp };
}
