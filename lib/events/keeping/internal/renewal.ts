/**
 * The snapshot that an isolate holds, and its renewal. All isolates share the stored snapshot: one of them reads the
 * record store, under a lease, and the others load what it stored. After a failure none reads for a while.
 */

import type { Columns } from "../../../platform/event_columns.ts";
import { type Lease, takeLease } from "../../../platform/kv/lease.ts";
import type { Log } from "../../../platform/log.ts";
import type { Platform } from "../../../platform/platform.ts";
import { yieldToLoop } from "../../../platform/timeout.ts";
import type { HookKeeper } from "../../airtable/webhook.ts";
import {
  type Catalog,
  type CatalogOptions,
  createCatalog,
  createDocuments,
} from "../../catalog.ts";
import { type Freshness, readFreshness, readServed, type RefreshPolicy } from "../freshness.ts";
import { prepareEvents } from "../../site/listing.ts";
import { judgeRead, lostColumnInWords } from "../../reading/loss.ts";
import { groupProblems } from "../../reading/record.ts";
import { buildSnapshot, type Snapshot, type SnapshotMeta } from "../snapshot.ts";
import { failureOf, pauseLeft, type ReadFailure, readFailure, recordFailure } from "../failure.ts";
import type { Loss, RecordStore } from "../../reading/record_store.ts";
import {
  createHistoryReader,
  getSnapshotEntry,
  loadSnapshot,
  markAgeUnknown,
  saveReading,
  type SnapshotEntry,
} from "../stored.ts";
import { MAX_AGE_MILLISECONDS, MAX_SKEW_MILLISECONDS } from "../../values.ts";

/** The dependencies of renewals. */
export interface RenewalOptions
  extends
    Omit<CatalogOptions, "rightUntil" | "origin" | "documents">,
    Pick<Platform, "kv" | "sleep"> {
  /** Null if the configuration has no store. */
  readonly store: RecordStore | null;
  readonly columns: Columns;
  readonly policy: RefreshPolicy;
  /** Maintains the hook; null without one. */
  readonly hook: Pick<HookKeeper, "keep" | "suspect"> | null;
  readonly log: Pick<Log, "warn" | "error">;
}

/** The snapshot that this isolate serves. */
interface Current {
  readonly catalog: Catalog;
  readonly version: string;
  /** Null until it is determined. */
  freshness: Freshness | null;
  /** When that was. */
  polledAt: number;
}

/** A failed read: the pause after it, and its error. */
type Failed = Pick<ReadFailure, "at" | "until" | "fault"> & {
  readonly loss: Pick<Loss, "columns"> | null;
  readonly error: unknown;
};

const LEASE_NAME = "events";
const READ_TIMEOUT_MILLISECONDS = 60_000;
/** Longer than a read may take. */
const LEASE_MILLISECONDS = 75_000;
/** How long a renewal waits for another isolate's read. */
const WAIT_MILLISECONDS = 25_000;
/** The interval between two polls of the database while another isolate reads. */
const LEASE_POLL_MILLISECONDS = 100;
/** How soon an isolate with requests learns of another one's read, of a notification, or of a changed file. */
const POLL_MILLISECONDS = 5_000;
/** The problems of one read that the log names. */
const MAX_LOGGED = 20;

/** A read that did not begin, because of a failure that another isolate may have had. */
class PausedError extends Error {
  constructor(readonly failure: ReadFailure) {
    super("the events are not read for a while after a failure");
  }
}

/** Makes the renewal of an isolate's snapshot. */
export function createRenewal(options: RenewalOptions & { readonly store: RecordStore }) {
  const { kv, store, policy, hook, now, sleep, log } = options;
  const readHistory = createHistoryReader(kv);
  const documents = createDocuments();
  let current: Current | null = null;
  let running: Promise<void> | null = null;
  /** The last failure; null after a success. */
  let failed: Failed | null = null;
  /** The store's revision at the last read. */
  let revision: string | null = null;

  /** Whether the events are young enough to be served. */
  function isFresh(): boolean {
    if (current === null) return false;
    const age = now() - current.catalog.rightUntil();
    return age < MAX_AGE_MILLISECONDS && age >= -MAX_SKEW_MILLISECONDS;
  }

  /** Whether a read is due, as far as this isolate knows. */
  const isDue = () => !isFresh() || now() >= (current?.freshness?.dueAt ?? -Infinity);
  const isDueOrChanged = () =>
    isDue() || store.revision !== undefined && store.revision() !== revision;
  const isPollDue = () =>
    current === null || Math.abs(now() - current.polledAt) >= POLL_MILLISECONDS;
  const pause = () => failed === null ? 0 : pauseLeft(failed, now());

  function makeCurrent(snapshot: Snapshot, version: string): void {
    const rightUntil = () => next.freshness?.rightUntil ?? 0;
    const origin = store.origin();
    const catalog = createCatalog(snapshot, { ...options, origin, rightUntil, documents });
    const next: Current = { catalog, version, freshness: null, polledAt: now() };
    current = next;
    void prepareEvents(catalog);
  }

  /** @param at a moment from before the metadata were read, or while the lease that wrote them was held. */
  async function determineFreshness(meta: SnapshotMeta, at: number): Promise<void> {
    const of = current;
    const freshness = await readFreshness(kv, meta, policy, at);
    if (of !== null) Object.assign(of, { freshness, polledAt: at });
  }

  /** Loads the stored snapshot if it is another one, and determines how fresh it is. */
  async function poll(): Promise<SnapshotEntry> {
    const at = now();
    const entry = await getSnapshotEntry(kv);
    const { pointer } = entry;
    if (pointer === null) return entry;
    const { version, meta } = pointer;
    try {
      const known = current?.version === version ? current.catalog.snapshot : null;
      if (known === null) makeCurrent(await loadSnapshot(kv, pointer), version);
      else if (known.meta.readAt !== meta.readAt) makeCurrent({ ...known, meta }, version);
    } catch (error) {
      // The store still has everything: the read that follows replaces the stored snapshot.
      log.error("events: the stored snapshot cannot be read", { reason: String(error) });
      return entry;
    }
    await determineFreshness(meta, at);
    return entry;
  }

  /** Until `isWanted` is false: asks whether another isolate has read, else reads, else waits for the one that does. */
  async function pollOrRead(isWanted: () => boolean): Promise<void> {
    for (const since = now(); now() - since < WAIT_MILLISECONDS;) {
      await poll();
      if (!isWanted()) return;
      const failure = await readFailure(kv);
      if (failure !== null && pauseLeft(failure, now()) > 0) throw new PausedError(failure);
      const lease = await takeLease(kv, LEASE_NAME, LEASE_MILLISECONDS, now());
      if (lease === null) {
        await sleep(LEASE_POLL_MILLISECONDS);
        continue;
      }
      try {
        // The last holder of the lease may have stored a snapshot since the poll.
        const entry = await poll();
        if (isWanted()) await read(lease, entry);
        return;
      } catch (error) {
        await recordFailure(kv, lease, failureOf(error, now()))
          .catch(() => {/* The first error says more. */});
        throw error;
      } finally {
        await lease.release();
      }
    }
    throw new Error("another process is still reading the events");
  }

  /** Reads the store and stores what it says. */
  async function read(lease: Lease, stored: SnapshotEntry): Promise<void> {
    const { pointer } = stored;
    if (pointer !== null && pointer.meta.readAt > now() + MAX_SKEW_MILLISECONDS) {
      await markAgeUnknown(kv, { ...stored, pointer }, lease);
      stored = await poll();
    }
    const previous = current?.catalog.snapshot ?? null;
    const isKnown = current?.version === stored.pointer?.version;
    const past = await readHistory();
    // Determined before the read: the next read serves a notification that comes during this one.
    const served = await readServed(kv, policy);
    const readAt = now();
    const readRevision = store.revision?.() ?? null;
    const outcomes = await store.read(AbortSignal.timeout(READ_TIMEOUT_MILLISECONDS));
    const columns = await judgeRead(options, past.history, outcomes);
    await yieldToLoop();
    const known = { history: past.history, snapshot: previous };
    const { history, snapshot: built } = await buildSnapshot(
      outcomes,
      known,
      readAt,
      columns,
      served.hookId !== undefined,
    );
    const snapshot = { ...built, meta: { ...built.meta, ...served } };
    const isSame = isKnown && snapshot.events === previous?.events &&
      snapshot.lost === previous?.lost;
    const saving = { lease, past, replaces: stored, isSame };
    makeCurrent(snapshot, await saveReading(kv, { history, snapshot }, saving));
    revision = readRevision;
    suspectHook(snapshot.meta, previous?.meta ?? null);
    reportProblems(log, snapshot, previous);
    // The store may have changed during the read.
    await determineFreshness(snapshot.meta, now());
  }

  /** A change without a notification may mean that the hook is dead. */
  function suspectHook(meta: SnapshotMeta, before: SnapshotMeta | null): void {
    const isReported = before === null || before.served !== meta.served ||
      before.hookId !== meta.hookId;
    if (isReported || meta.hookId === undefined || before.changedAt === meta.changedAt) return;
    hook?.suspect().catch(report);
  }

  function report(error: unknown): void {
    if (error instanceof PausedError) return;
    log.error("events: the record store could not be read", { reason: String(error) });
  }

  /** Renews the snapshot if `isWanted` says so. One renewal runs at a time, and its failure is logged once. */
  function renew(isWanted = isDueOrChanged): Promise<void> {
    return running ??= pollOrRead(isWanted)
      .then(() => void (failed = null))
      .catch((error) => {
        const failure = error instanceof PausedError ? error.failure : failureOf(error, now());
        failed = { ...failure, error };
        report(error);
        throw error;
      })
      .finally(() => running = null);
  }

  return {
    isFresh,
    /** Renews the snapshot if a read is due. */
    renew: () => renew(),
    /** Renews the snapshot if it is too old to be served: a stored one that is fresh is enough. */
    renewIfStale: () => renew(() => !isFresh()),
    /** Renews the snapshot behind the requests that begin to need it. */
    renewBehind(): void {
      if (running !== null || pause() > 0 || !(isPollDue() || isDue())) return;
      renew().catch(() => {/* It was logged. */});
    },
    /** The catalog of the snapshot, however old; null if this isolate has none. */
    catalog: (): Catalog | null => current?.catalog ?? null,
    /** How fresh that is; null if it is not known. */
    freshness: (): Freshness | null => current?.freshness ?? null,
    /** The rest of the pause after a failure, in milliseconds; 0 without one. */
    pause,
    /** The last failure; null after a success. */
    failure: (): Failed | null => failed,
  };
}

/** Logs what the previous snapshot did not have: lost columns, and the first faults of cells, each with its records. */
function reportProblems(
  log: Pick<Log, "warn" | "error">,
  { problems, lost = [] }: Snapshot,
  previous: Snapshot | null,
): void {
  const knownColumns = new Set(previous?.lost?.map(({ field }) => field));
  for (const column of lost.filter(({ field }) => !knownColumns.has(field))) {
    log.error("events: a column is gone", { reason: lostColumnInWords(column) });
  }
  if (problems === previous?.problems) return;
  const known = new Set(previous?.problems.map((problem) => JSON.stringify(problem)));
  const found = groupProblems(problems.filter((problem) => !known.has(JSON.stringify(problem))));
  for (const { recordIds, ...problem } of found.slice(0, MAX_LOGGED)) {
    const records = { recordId: recordIds[0], records: recordIds.length };
    log.warn("events: a record has a problem", { ...records, ...problem });
  }
  const more = found.length - MAX_LOGGED;
  if (more > 0) log.warn("events: more problems, which the desk lists", { more });
}
