/**
 * The source of the catalog. No client sees data older than five minutes, its own cache included. So a snapshot that
 * is fresh enough is served; an older one is served while it is renewed behind the request; and a request that finds
 * one too old waits. All isolates share the snapshot: one of them reads the store, under a lease, and the others load
 * what it stored. After a failure none reads for a while.
 */

import { PublicError } from "../platform/http/errors.ts";
import { takeLease } from "../platform/kv/lease.ts";
import type { HookKeeper } from "./airtable/hook.ts";
import { type Catalog, type CatalogOptions, createCatalog, prepareBytes } from "./catalog.ts";
import {
  type Freshness,
  type Notifications,
  readFreshness,
  readServed,
  type RefreshPolicy,
  storeNotifications,
} from "./freshness.ts";
import { LossError } from "./loss.ts";
import { readStore, reportProblems, type StoreReaderOptions } from "./read.ts";
import type { Snapshot, SnapshotMeta } from "./snapshot.ts";
import {
  pauseLeft,
  ReadError,
  type ReadFailure,
  readFailure,
  recordFailure,
  type RecordStore,
} from "./store.ts";
import {
  createHistoryReader,
  getSnapshotEntry,
  loadSnapshot,
  markAgeUnknown,
  removeOldSnapshots,
  saveReading,
  type SnapshotEntry,
} from "./stored.ts";
import {
  dayAt,
  MAX_AGE_MILLISECONDS,
  MAX_LAG_MILLISECONDS,
  MAX_SKEW_MILLISECONDS,
} from "./values.ts";

/** The dependencies of the source. Times are milliseconds. */
interface EventsSourceOptions extends CatalogOptions, Omit<StoreReaderOptions, "store"> {
  /** Null if the configuration has no store: every request is then refused. */
  readonly store: RecordStore | null;
  readonly policy: RefreshPolicy;
  /** Maintains the hook; null without one. */
  readonly hook: Pick<HookKeeper, "keep" | "suspect"> | null;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/** Where routes and the cron job get the catalog. */
export type EventsSource = ReturnType<typeof createEventsSource>;

const LEASE_NAME = "events";
/** Longer than a read may take. */
const LEASE_MILLISECONDS = 75_000;
/** How long a request waits for a read. The read itself continues. */
const WAIT_MILLISECONDS = 25_000;
/** How long a request waits for the read of a change while there are events to serve. */
const PATIENCE_MILLISECONDS = 2_000;
/** The interval between two looks at the database while another isolate reads. */
const POLL_MILLISECONDS = 100;
/** After a failed read, unless the store asks for more: long enough not to overload it. */
const PAUSE_SECONDS = 5;
/** While visitors come, the job reads for them, so that hardly any of them waits. */
const WANTED_MILLISECONDS = 30 * 60_000;
/** How soon an isolate with requests learns of another one's read, or of a notification. */
const LOOK_MILLISECONDS = 5_000;
/** The longest wait of the job for the read that a notification asks for. */
const JOB_WAIT_MILLISECONDS = 60_000;
/** How often requests compare the store's revision. */
const COMPARE_MILLISECONDS = 200;
/** The hint for callers; the status page tells operators more. */
const QUOTA_HINT =
  "The calls of the events store are used up for this month. The operator can choose a plan " +
  "with more calls, or have fewer made.";

/** The snapshot that this isolate serves. */
interface Held {
  readonly catalog: Catalog;
  readonly version: string;
  /** Null until it is determined. */
  readonly freshness: Freshness | null;
  /** When that was. */
  readonly lookedAt: number;
}

/** A read that did not begin, because of a failure that another isolate may have had. */
class PausedError extends Error {
  constructor(readonly failure: ReadFailure) {
    super("the events are not read for a while after a failure");
  }
}

/** Makes the source. It starts nothing by itself: requests and the cron job do. */
export function createEventsSource(options: EventsSourceOptions) {
  const { kv, store, policy, hook, now, sleep, log } = options;
  const readHistory = createHistoryReader(kv);
  let held: Held | null = null;
  let running: Promise<void> | null = null;
  /** The last failure of this isolate, and its pause. */
  let failed: Pick<ReadFailure, "at" | "until"> & { readonly error: unknown } | null = null;
  /** Notifications that could not be stored and that no read has served yet; null if there are none. */
  let unstored: Notifications | null = null;
  let isFollowing = false;
  let hasNewNotification = false;
  /** The store's revision at the last read, when it was last compared, and whether it is now. */
  let revision: string | null = null;
  let comparedAt = -Infinity;
  let isComparing = false;
  let askedAt = -Infinity;

  /** Whether the events are young enough to be served. */
  function isFresh(): boolean {
    if (held === null) return false;
    const { catalog, freshness } = held;
    const age = now() - Math.max(catalog.snapshot.meta.readAt, freshness?.rightUntil ?? 0);
    return age < MAX_AGE_MILLISECONDS && age >= -MAX_SKEW_MILLISECONDS;
  }

  /** Whether a read is due, as far as this isolate knows. */
  const isDue = () => !isFresh() || now() >= (held?.freshness?.dueAt ?? -Infinity);

  const leftOfPause = () => failed === null ? 0 : pauseLeft(failed, now());

  function catalogOf(snapshot: Snapshot): Catalog {
    const rightUntilOf = ({ readAt }: SnapshotMeta) =>
      held?.catalog.snapshot.meta.readAt === readAt
        ? Math.max(readAt, held.freshness?.rightUntil ?? 0)
        : readAt;
    return createCatalog(snapshot, { ...options, rightUntilOf });
  }

  /** Loads the stored snapshot if it is another one, and determines how fresh it is. */
  async function look(): Promise<SnapshotEntry> {
    const lookedAt = now();
    const entry = await getSnapshotEntry(kv);
    const { pointer } = entry;
    if (pointer === null) return entry;
    const { version, meta } = pointer;
    try {
      if (held?.version !== version) {
        const snapshot = await loadSnapshot(kv, pointer);
        await prepareBytes(snapshot, dayAt(now(), options.timeZone).date);
        held = { catalog: catalogOf(snapshot), version, freshness: null, lookedAt };
      } else if (held.catalog.snapshot.meta.readAt !== meta.readAt) {
        const snapshot = { ...held.catalog.snapshot, meta };
        held = { catalog: catalogOf(snapshot), version, freshness: null, lookedAt };
      }
    } catch (error) {
      // The store still has everything: the read that follows replaces the stored snapshot.
      log.error("events: the stored snapshot cannot be read", { reason: String(error) });
      return entry;
    }
    await determineFreshness(held, meta, lookedAt);
    return entry;
  }

  /** @param lookedAt a moment from before the metadata were read, or while the lease that wrote them was held. */
  async function determineFreshness(of: Held, meta: SnapshotMeta, lookedAt: number): Promise<void> {
    const freshness = await readFreshness(kv, meta, policy, lookedAt, unstored);
    held = { ...of, freshness, lookedAt };
  }

  /** Until `isWanted` is false: looks whether another isolate has read, else reads, else waits for the one that does. */
  async function renew(isWanted: () => boolean): Promise<void> {
    for (const since = now(); now() - since < WAIT_MILLISECONDS;) {
      await look();
      if (!isWanted()) return;
      const failure = await readFailure(kv);
      if (failure !== null && pauseLeft(failure, now()) > 0) throw new PausedError(failure);
      const lease = await takeLease(kv, LEASE_NAME, LEASE_MILLISECONDS, now());
      if (lease === null) {
        await sleep(POLL_MILLISECONDS);
        continue;
      }
      try {
        // The last holder of the lease may have stored a snapshot since the look.
        const entry = await look();
        if (isWanted()) await read(lease, entry);
        return;
      } catch (error) {
        const failure = { ...faultOf(error), at: now(), until: now() + pauseOf(error) };
        await recordFailure(kv, lease, failure).catch(() => {/* The first error says more. */});
        throw error;
      } finally {
        await lease.release();
      }
    }
    throw new Error("another process is still reading the events");
  }

  /** Reads the store and stores what it says. */
  async function read(
    lease: NonNullable<Awaited<ReturnType<typeof takeLease>>>,
    stored: SnapshotEntry,
  ): Promise<void> {
    if (store === null) throw new ReadError("refused", "no store is configured");
    const { pointer } = stored;
    if (pointer !== null && pointer.meta.readAt > now() + MAX_SKEW_MILLISECONDS) {
      await markAgeUnknown(kv, { ...stored, pointer }, lease, now());
      stored = await look();
    }
    const readAt = now();
    const before = held;
    const previous = before?.catalog.snapshot ?? null;
    const past = await readHistory();
    // Determined before the read: the next read serves a notification that comes during this one.
    const served = await readServed(kv, policy);
    const reading = await readStore(
      { ...options, store },
      { history: past.history, snapshot: previous },
      served,
      readAt,
    );
    const { snapshot } = reading;
    const isSame = snapshot.events === previous?.events &&
      before?.version === stored.pointer?.version;
    await prepareBytes(snapshot, dayAt(now(), options.timeZone).date);
    const saving = { lease, past, replaces: stored, isSame, now };
    const { version, entries } = await saveReading(kv, reading, saving);
    const read: Held = { catalog: catalogOf(snapshot), version, freshness: null, lookedAt: now() };
    held = read;
    failed = null;
    if (unstored !== null && readAt > unstored.lastAt) unstored = null;
    ({ revision } = reading);
    suspectHook(snapshot.meta, previous?.meta ?? null);
    reportProblems(options, reading, previous);
    await removeOldSnapshots(kv, entries, now());
    // The store may have changed during the read.
    await determineFreshness(read, snapshot.meta, now());
  }

  /** One renewal at a time. Its failure is logged once. */
  function renewOnce(isWanted = isDue, report = logFailure): Promise<void> {
    return running ??= renew(isWanted)
      .catch((error) => {
        const at = now();
        failed = error instanceof PausedError
          ? { error, at: error.failure.at, until: error.failure.until }
          : { error, at, until: at + pauseOf(error) };
        report(error);
        throw error;
      })
      .finally(() => running = null);
  }

  function logFailure(error: unknown): void {
    if (error instanceof PausedError) return;
    log.error("events: the record store could not be read", { reason: String(error) });
  }

  /** Resolves when there are events to serve, or rejects with the reason why there are none. */
  async function wait(): Promise<Catalog> {
    if (failed !== null && leftOfPause() > 0) throw failed.error;
    const renewing = renewOnce(() => !isFresh());
    await orAfter(WAIT_MILLISECONDS, renewing).catch((error) => {
      if (!isFresh()) throw error;
    });
    if (held !== null && isFresh()) return held.catalog;
    throw new Error("reading the events takes too long");
  }

  async function orAfter(milliseconds: number, work: Promise<void>): Promise<void> {
    const over = new AbortController();
    try {
      await Promise.race([work, sleep(milliseconds, over.signal)]);
    } finally {
      over.abort();
    }
  }

  /** Reads the store if it reports a change. */
  async function readChange(): Promise<void> {
    isComparing = true;
    comparedAt = now();
    const outdated = held;
    const current = await store?.revision?.().catch(() => null);
    const isWanted = () => held?.catalog === outdated?.catalog;
    if (current !== revision) await renewOnce(isWanted).catch(() => {/* It was logged. */});
    isComparing = false;
  }

  const isComparisonDue = () =>
    store?.revision !== undefined && !isComparing && leftOfPause() === 0 &&
    Math.abs(now() - comparedAt) >= COMPARE_MILLISECONDS;

  /** Reads the store when it is due; waits for a read that a notification asks for, but no longer than `longest`. */
  async function follow(longest: number): Promise<void> {
    for (const since = now();;) {
      await renewOnce(isDue, () => {});
      if (held?.freshness?.isAwaited !== true) return;
      const left = Math.max(POLL_MILLISECONDS, held.freshness.dueAt - now());
      if (now() + left - since > longest) return;
      await sleep(left);
    }
  }

  async function followNotifications(): Promise<void> {
    hasNewNotification = true;
    if (isFollowing) return;
    isFollowing = true;
    while (hasNewNotification) {
      hasNewNotification = false;
      try {
        await follow(MAX_LAG_MILLISECONDS);
      } catch (error) {
        logFailure(error);
        // One that came before the failure, or comes during the pause, is served after it.
        await sleep(leftOfPause());
      }
    }
    isFollowing = false;
  }

  /** A change without a notification may mean that the hook is dead. */
  function suspectHook(meta: SnapshotMeta, before: SnapshotMeta | null): void {
    const isReported = before === null || before.served !== meta.served ||
      before.hookId !== meta.hookId;
    if (isReported || meta.hookId === undefined || before.changedAt === meta.changedAt) return;
    hook?.suspect().catch(logFailure);
  }

  function refuse(cause: unknown): never {
    const seconds = leftOfPause() / 1_000 || PAUSE_SECONDS;
    const { fault } = cause instanceof PausedError ? cause.failure : faultOf(cause);
    throw new PublicError("upstream_error", "The events cannot be loaded right now.", {
      hint: fault === "quota" ? QUOTA_HINT : "Try again after the time in the Retry-After header.",
      headers: { "retry-after": String(Math.ceil(seconds)) },
      cause,
    });
  }

  return {
    /**
     * A catalog that is fresh enough to answer with.
     *
     * @throws {PublicError} `server_misconfigured` without a store, `upstream_error` if no snapshot is
     *   young enough and the store cannot be read.
     */
    catalog(): Catalog | Promise<Catalog> {
      if (store === null) {
        throw new PublicError("server_misconfigured", "The events store is not configured.", {
          hint: "The operator sets AIRTABLE_TOKEN and AIRTABLE_BASE_ID, or EVENTS_FILE.",
        });
      }
      askedAt = now();
      if (held === null || !isFresh()) return wait().catch(refuse);
      if (isComparisonDue()) {
        return orAfter(PATIENCE_MILLISECONDS, readChange())
          .then(() => held !== null && isFresh() ? held.catalog : wait().catch(refuse));
      }
      const isLookDue = Math.abs(askedAt - held.lookedAt) >= LOOK_MILLISECONDS;
      if ((isLookDue || isDue()) && running === null && leftOfPause() === 0) {
        renewOnce().catch(() => {/* It was logged. */});
      }
      return held.catalog;
    },
    /** Reads the store if that is due, so that the log names a wrong token at the start. */
    async begin(): Promise<void> {
      if (store !== null) await renewOnce().catch(() => {/* It was logged. */});
    },
    /**
     * Reads the store if that is due.
     *
     * @returns the error of a failed read; null after success. Only a read that a request began logs its error.
     */
    async refresh(): Promise<unknown> {
      if (store === null) return null;
      await hook?.keep();
      return await follow(JOB_WAIT_MILLISECONDS).then(() => null, (error: unknown) => error);
    },
    /**
     * Stores the notification that the record store has changed or is to be read, and has it read soon, together with
     * other changes. Resolves when it is stored: no crash loses it. One that cannot be stored still counts here.
     */
    async notify(): Promise<void> {
      const at = now();
      const coming = { firstAt: unstored?.firstAt ?? at, lastAt: at };
      unstored = coming;
      await storeNotifications(kv, coming);
      if (unstored === coming) unstored = null;
      void followNotifications();
    },
    /** Whether a request has asked this process for events within the last half hour. */
    isWanted: () => Math.abs(now() - askedAt) < WANTED_MILLISECONDS,
    /** Whether the last read succeeded, in any isolate; null without a store, or before the first read. */
    async isUp(): Promise<boolean | null> {
      if (store === null) return null;
      const [failure, { pointer }] = await Promise.all([readFailure(kv), getSnapshotEntry(kv)]);
      return failure === null ? pointer === null ? null : true : false;
    },
    /** The age of the stored snapshot in milliseconds, since its read began; null if there is none. */
    async age(): Promise<number | null> {
      const { pointer } = await getSnapshotEntry(kv);
      return pointer === null ? null : now() - pointer.meta.readAt;
    },
  };
}

/** What a failure is stored as. */
function faultOf(error: unknown): Pick<ReadFailure, "fault" | "reason" | "loss"> {
  if (!(error instanceof ReadError)) {
    return { fault: "unavailable", reason: String(error), loss: null };
  }
  const loss = error instanceof LossError ? { ...error.loss, acceptedUntil: null } : null;
  return { fault: error.fault, reason: error.message, loss };
}

/**
 * The pause after an error, in milliseconds: no longer than the allowed lag, because a longer one would look like a
 * clock set back. Only a used-up quota deserves a longer wait.
 */
function pauseOf(error: unknown): number {
  const { fault = null, pauseSeconds = null } = error instanceof ReadError ? error : {};
  const longest = fault === "quota" ? Infinity : MAX_LAG_MILLISECONDS;
  return Math.min((pauseSeconds ?? PAUSE_SECONDS) * 1_000, longest);
}
