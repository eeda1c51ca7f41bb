/**
 * Delivers booked usage from the ledger to the analytics store. The ledger's commit that settles a request
 * also marks the batch of its usage record (`["outbox", batch]`). The outbox reads marked batches, inserts
 * them into the store, and removes their markers. Each batch is inserted at least once, and the store counts
 * it once: after a crash or a lost response the work is repeated, and no figure changes.
 *
 * While the store fails, markers wait. The pauses between attempts grow to a quarter of an hour and are stored
 * in the database, so they hold for all isolates. A batch is kept until it is delivered, however long that
 * takes (`lib/operate/retention.ts`). No request waits for this, and the ledger's books do not depend on it.
 */

import { z } from "zod";
import { OUTBOX, outboxKey, usageKey } from "../ledger/books.ts";
import { beginAtomic, setEntry } from "../../platform/kv/write.ts";
import { createNewerReporter } from "../../platform/kv/formats.ts";
import { getEntries, getEntry, hasEntries, listEntries } from "../../platform/kv/list.ts";
import { inFittingParts } from "../../platform/kv/commit_size.ts";
import { retryLocked } from "../../platform/kv/open.ts";
import { takeLease } from "../../platform/kv/lease.ts";
import type { Log } from "../../platform/log.ts";
import { parseRows, type UsageBatch, versionOf } from "./record.ts";
import { StoreError, type UsageStore } from "./store.ts";

/** The time in which no isolate delivers to a failing store. */
interface Pause {
  /** Epoch milliseconds. */
  readonly until: number;
  /** In a row. */
  readonly failures: number;
  /** The last failure; absent in values of older versions. */
  readonly reason?: string;
}

/** A marker of the ledger, as it was read. */
type Marker = Deno.KvEntry<unknown>;

/** Longer than the work below and one statement of 30 seconds after it. */
const LEASE_MILLISECONDS = 90_000;
const WORK_MILLISECONDS = 40_000;
/** Markers that are read before the first insert. */
const MARKERS_PER_LIST = 1_000;
const MARKERS_PER_READ = 100;
/** Rows of one insert: about five megabytes, at up to 1 KB each (the ledger shortens texts). */
const ROWS_PER_INSERT = 5_000;
const MAX_REASON_LENGTH = 1_000;
/** A backlog of this size is an outage whatever its exact number, and counting costs reads. */
const MAX_COUNT = 10_000;

const PAUSE: Deno.KvKey = ["analytics", "pause"];
/** Deliveries run every minute, so the first failure skips none. */
const FIRST_PAUSE_MILLISECONDS = 30_000;
const LONGEST_PAUSE_MILLISECONDS = 15 * 60_000;

const SET_ASIDE = ["analytics", "aside"] as const;

/** The marker of a batch that was set aside. */
export const setAsideKey = (batch: string): Deno.KvKey => [...SET_ASIDE, batch];

const markerSchema = z.object({ accountId: z.string().min(1), day: z.string().min(1) });

/** Creates the outbox, which delivers the batches that the ledger has marked in its database `kv`. */
export function createOutbox({ kv, store, now, log }: {
  readonly kv: Deno.Kv;
  readonly store: UsageStore;
  readonly now: () => number;
  readonly log: Pick<Log, "error">;
}) {
  const leaveOut = createNewerReporter(log);

  /** Delivers until no batch waits or the time is over. @throws {StoreError} if the store fails. */
  async function drain(): Promise<number> {
    const endsAt = now() + WORK_MILLISECONDS;
    let records = 0;
    /** Batches that a newer version will deliver. */
    const leftOut = new Set<string>();
    while (now() < endsAt) {
      const markers = await listMarkers(leftOut);
      if (markers.length === 0) return records;
      while (markers.length > 0 && now() < endsAt) {
        const { batches, done } = await collect(markers, leftOut);
        await store.insert(batches);
        records += batches.reduce((sum, { rows }) => sum + rows.length, 0);
        await removeMarkers(kv, done);
      }
    }
    return records;
  }

  /** The first markers by name. A name begins with the time of the booking, except for swept requests. */
  async function listMarkers(leftOut: ReadonlySet<string>): Promise<Marker[]> {
    const markers: Marker[] = [];
    for await (const marker of listEntries<unknown>(kv, OUTBOX, { leaveOut })) {
      if (leftOut.has(batchOf(marker))) continue;
      if (markers.push(marker) === MARKERS_PER_LIST) break;
    }
    return markers;
  }

  /**
   * Takes markers from the front of a list and reads their batches, until there are enough for one insert. Batches
   * that cannot be delivered are set aside, and those that only a newer version can read are added to `leftOut`.
   *
   * @returns the batches, and their markers.
   */
  async function collect(markers: Marker[], leftOut: Set<string>) {
    const batches: UsageBatch[] = [];
    const done: Marker[] = [];
    for (let count = 0; markers.length > 0 && count < ROWS_PER_INSERT;) {
      const located = [];
      for (const marker of markers.splice(0, MARKERS_PER_READ)) {
        const { data } = markerSchema.safeParse(marker.value);
        if (data === undefined) await setAside(marker, "the marker names no account and day");
        else located.push({ marker, name: batchOf(marker), ...data });
      }
      const keys = located.map(({ accountId, day, name }) => usageKey(accountId, day, name));
      const entries = await getEntries<unknown>(kv, keys, leaveOut);
      for (const [index, { marker, name, accountId, day }] of located.entries()) {
        const { value = null, versionstamp = null } = entries[index] ?? {};
        if (versionstamp === null) {
          log.error("A batch of usage records expired before it was delivered.", marker);
          await removeUnchanged(kv, [marker]);
        } else if (value === null) leftOut.add(name);
        else {
          try {
            const rows = parseRows(value);
            const stray = rows.find((row) => row.account_id !== accountId || row.day !== day);
            if (stray !== undefined) {
              throw new Error(`the record ${stray.request_id} belongs elsewhere`);
            }
            batches.push({ name, day, version: versionOf(versionstamp), rows });
            done.push(marker);
            count += rows.length;
          } catch (error) {
            await setAside(marker, error instanceof Error ? error.message : String(error));
          }
        }
      }
    }
    return { batches, done };
  }

  /** Sets a marker aside, so that it is not tried again. Does nothing if the ledger wrote it again meanwhile. */
  async function setAside(marker: Marker, why: string): Promise<void> {
    const { key } = marker;
    // A batch may have more faults than a KV value can name.
    const reason = why.slice(0, MAX_REASON_LENGTH);
    log.error("A batch of usage records cannot be read and is set aside.", { key, reason });
    const operation = beginAtomic(kv).check(marker).delete(key)
      .set(setAsideKey(batchOf(marker)), { value: marker.value, reason });
    await retryLocked(() => operation.commit());
  }

  /** Drains under the lease, and counts a failure of the store; null if another process holds the lease. */
  async function drainUnderLease(): Promise<number | null> {
    const lease = await takeLease(kv, "outbox", LEASE_MILLISECONDS, now());
    if (lease === null) return null;
    try {
      const records = await drain();
      if (await getPause(kv) !== null) await retryLocked(() => kv.delete(PAUSE));
      return records;
    } catch (cause) {
      if (cause instanceof StoreError) await countFailure(kv, cause, now());
      throw cause;
    } finally {
      await lease.release();
    }
  }

  return {
    /**
     * Delivers the waiting batches, for 40 seconds at most, unless another isolate is delivering or the store is
     * paused. A failure of the store is stored with its reason, not thrown.
     *
     * @returns the number of delivered records.
     */
    async deliver(): Promise<number> {
      if (!await hasEntries(kv, OUTBOX)) return 0;
      if (await isPaused(kv, now())) return 0;
      try {
        return await drainUnderLease() ?? 0;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        return 0;
      }
    },
    /**
     * Delivers now, even while the store is paused; with `includeSetAside`, also the batches that were set aside.
     *
     * @throws {StoreError} if the store fails, or if another process is delivering.
     */
    async flush({ includeSetAside = false } = {}): Promise<number> {
      if (includeSetAside) await takeBackSetAside(kv);
      const records = await drainUnderLease();
      if (records !== null) return records;
      throw new StoreError(
        "Another process is delivering; `deno task analytics status` shows its progress.",
      );
    },
    /** The number of waiting batches, 10,000 at most. */
    depth: async () => (await readBacklog(kv)).waiting,
  };
}

/** Counts the batches that wait for the analytics store. */
export async function readBacklog(kv: Deno.Kv): Promise<{
  /** Batches of records, counted up to 10,000. */
  readonly waiting: number;
  /** Epoch milliseconds of the oldest booking among those counted; null if none waits. */
  readonly oldestAt: number | null;
  /** Batches that cannot be read, counted up to 10,000. */
  readonly setAside: number;
  /** Set while the store is paused. */
  readonly pause: Pause | null;
}> {
  let [waiting, setAside] = [0, 0];
  let oldestAt: number | null = null;
  const waitingToo = { leaveOut: () => void waiting++ };
  for await (const marker of listEntries<unknown>(kv, OUTBOX, waitingToo)) {
    const at = bookedAt(marker);
    if (at !== null && (oldestAt === null || at < oldestAt)) oldestAt = at;
    if (++waiting === MAX_COUNT) break;
  }
  for await (const _ of listEntries(kv, SET_ASIDE, { leaveOut: () => void setAside++ })) {
    if (++setAside === MAX_COUNT) break;
  }
  return { waiting, oldestAt, setAside, pause: await getPause(kv) };
}

/** The pause of the store, or null if the last attempt succeeded. */
export async function getPause(kv: Deno.Kv): Promise<Pause | null> {
  return (await getEntry<Pause>(kv, PAUSE)).value;
}

/** Whether the store is paused now. */
export async function isPaused(kv: Deno.Kv, now: number): Promise<boolean> {
  const until = (await getPause(kv))?.until ?? 0;
  // A pause that ends later than the longest one can was written before the clock was set back.
  return until > now && until <= now + LONGEST_PAUSE_MILLISECONDS;
}

/** Lengthens the pause: 30 seconds, then twice as long each time, up to a quarter of an hour. */
export async function countFailure(kv: Deno.Kv, error: Error, now: number): Promise<void> {
  const failures = ((await getPause(kv))?.failures ?? 0) + 1;
  const wanted = FIRST_PAUSE_MILLISECONDS * 2 ** (failures - 1);
  const until = now + Math.min(LONGEST_PAUSE_MILLISECONDS, wanted);
  await setEntry(kv, PAUSE, { until, failures, reason: error.message } satisfies Pause);
}

/** Removes markers, except those that were set again since they were read: their batches have changed. */
async function removeMarkers(kv: Deno.Kv, markers: readonly Marker[]): Promise<void> {
  await inFittingParts(markers, async (some) => {
    if (await removeUnchanged(kv, some)) return;
    for (const marker of some) await removeUnchanged(kv, [marker]);
  });
}

async function removeUnchanged(kv: Deno.Kv, markers: readonly Marker[]): Promise<boolean> {
  const operation = beginAtomic(kv);
  for (const marker of markers) operation.check(marker).delete(marker.key);
  return (await retryLocked(() => operation.commit())).ok;
}

/** Moves the markers that were set aside back into the outbox, once their batches are repaired. */
async function takeBackSetAside(kv: Deno.Kv): Promise<void> {
  for await (const entry of listEntries<{ readonly value: unknown }>(kv, SET_ASIDE)) {
    const operation = beginAtomic(kv).check(entry).delete(entry.key)
      .set(outboxKey(batchOf(entry)), entry.value.value);
    await retryLocked(() => operation.commit());
  }
}

/** The name of a marker's batch. */
function batchOf({ key }: Pick<Marker, "key">): string {
  return String(key.at(-1));
}

/** The time of a booking: from its batch's name, or for a swept request the start of its day. */
function bookedAt(marker: Marker): number | null {
  const [, time] = /^(\d{13})-/.exec(batchOf(marker)) ?? [];
  const day = markerSchema.partial().safeParse(marker.value).data?.day ?? "";
  const at = time === undefined ? Date.parse(day) : Number(time);
  return Number.isNaN(at) ? null : at;
}
