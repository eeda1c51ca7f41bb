/**
 * Brings booked usage from the ledger to the analytics store. The ledger's commit that settles a request
 * also marks its page (`["outbox", page]`); here pages are read, handed over, and their markers removed.
 * A page is handed over at least once, and the store counts it once: a crash or a lost answer in between
 * repeats work, and changes no figure.
 *
 * While the store fails, markers wait: the pauses between attempts grow to a quarter of an hour, and all
 * isolates keep them. A page lives until it is delivered, however long that takes (`retention.ts`). The
 * ledger's own books need none of this, and no request waits for it.
 */

import { createNewerReporter, type LeaveOut, listEntries, takeLease } from "../kv/mod.ts";
import { OUTBOX } from "../accounts/mod.ts";
import type { Log } from "../telemetry/mod.ts";
import { collectBatch, type Marker } from "./batch.ts";
import { countFailure, endPause, isPaused } from "./pause.ts";
import { removeMarkers, setAside, takeBackAside } from "./markers.ts";
import { type Backlog, readBacklog } from "./backlog.ts";
import { StoreError, type UsageStore } from "./store.ts";

/** Delivers what the ledger has marked. */
export interface Outbox {
  /**
   * Hands over what is waiting, for 40 seconds at most, unless another isolate is at it or the store is
   * being left alone. A store that fails is counted, with the reason, not thrown.
   *
   * @returns the number of records handed over.
   */
  deliver(): Promise<number>;
  /**
   * The same now, whatever pause is kept; with `aside` also what was set aside before.
   *
   * @throws {StoreError} if the store fails, or if another process is delivering.
   */
  flush(options?: { readonly aside?: boolean }): Promise<number>;
  /** The number of waiting pages, 10,000 at most. */
  depth(): Promise<number>;
  /** What is waiting, and since when. */
  backlog(): Promise<Backlog>;
}

/** What the outbox needs. */
interface OutboxOptions {
  /** The ledger's database. */
  readonly kv: Deno.Kv;
  readonly store: UsageStore;
  readonly now: () => number;
  readonly log: Pick<Log, "error">;
}

/** Longer than the work below and one statement of 30 seconds after it. */
const LEASE_MILLISECONDS = 90_000;
const WORK_MILLISECONDS = 40_000;
/** Markers that are read before the first batch is handed over. */
const MARKERS_PER_BATCH = 1_000;

/** Makes the outbox. */
export function createOutbox({ kv, store, now, log }: OutboxOptions): Outbox {
  const leaveOut = createNewerReporter(log);

  /** Works until nothing waits or the time is over. @throws {StoreError} if the store fails. */
  async function drain(): Promise<number> {
    const endsAt = now() + WORK_MILLISECONDS;
    let records = 0;
    /** Pages for a newer version to deliver. */
    const leftOut = new Set<string>();
    while (now() < endsAt) {
      const markers = await listMarkers(kv, leftOut, leaveOut);
      if (markers.length === 0) return records;
      let left: readonly Marker[] = markers;
      while (left.length > 0 && now() < endsAt) {
        const batch = await collectBatch(kv, left, leaveOut);
        left = left.slice(batch.read);
        await store.insert(batch.pages);
        records += batch.pages.reduce((sum, { rows }) => sum + rows.length, 0);
        await removeMarkers(kv, batch.done);
        for (const { marker, reason } of batch.damaged) {
          log.error("A page of usage records cannot be read: set aside.", {
            key: marker.key,
            reason,
          });
          await setAside(kv, marker, reason);
        }
        for (const { key } of batch.newer) leftOut.add(String(key.at(-1)));
        for (const marker of batch.expired) {
          log.error("A page of usage records expired before it was delivered.", marker);
        }
        await removeMarkers(kv, batch.expired);
      }
    }
    return records;
  }

  /** Runs the work under the lease; null if somebody else holds it. */
  async function alone(work: () => Promise<number>): Promise<number | null> {
    const lease = await takeLease(kv, "outbox", LEASE_MILLISECONDS, now());
    if (lease === null) return null;
    try {
      const records = await work();
      await endPause(kv);
      return records;
    } catch (cause) {
      if (cause instanceof StoreError) await countFailure(kv, cause, now());
      throw cause;
    } finally {
      await lease.release();
    }
  }

  return {
    async deliver() {
      if (await isPaused(kv, now())) return 0;
      try {
        return await alone(drain) ?? 0;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        return 0;
      }
    },
    async flush({ aside = false } = {}) {
      if (aside) await takeBackAside(kv);
      const records = await alone(drain);
      if (records !== null) return records;
      throw new StoreError("another process is delivering; `analytics status` shows how far it is");
    },
    depth: async () => (await readBacklog(kv)).waiting,
    backlog: () => readBacklog(kv),
  };
}

/** The first markers by name, which begins with the time of the booking except for swept requests. */
async function listMarkers(
  kv: Deno.Kv,
  leftOut: ReadonlySet<string>,
  leaveOut: LeaveOut,
): Promise<Marker[]> {
  const markers: Marker[] = [];
  for await (const marker of listEntries<unknown>(kv, [...OUTBOX], { leaveOut })) {
    if (leftOut.has(String(marker.key.at(-1)))) continue;
    if (markers.push(marker) === MARKERS_PER_BATCH) break;
  }
  return markers;
}
