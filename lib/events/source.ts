/**
 * The source of the catalog: which snapshot is served, and when the record store is read again.
 *
 * No client sees data older than five minutes, its own cache included (events contract, section 1). So a
 * snapshot is served until it is nearly that old, since clocks differ. Past the refresh interval a request
 * also begins a read in the background; past that age it waits for one. All isolates share the snapshot
 * (`lib/kv/shared_copy.ts`). A read that would lose most of the events has failed (`failure.ts`).
 */

import type { Columns, EventField } from "../columns.ts";
import { PublicError } from "../http/mod.ts";
import { createSharedCopy, getBlobPointer, PausedError, readBlob } from "../kv/mod.ts";
import type { Log } from "../telemetry/mod.ts";
import { DAY_MILLISECONDS } from "../time.ts";
import { mapInSlices, nextTurn } from "../turns.ts";
import { type Catalog, type CatalogOptions, createCatalog } from "./catalog.ts";
import {
  clearFailure,
  emptyRequiredColumns,
  filledFields,
  findLoss,
  isAccepted,
  type Loss,
  LossError,
  lossInWords,
  pauseKey,
  readFailure,
  recordFailure,
} from "./failure.ts";
import type { RecordOutcome, StoreRecord } from "./record.ts";
import { buildSnapshot } from "./build_snapshot.ts";
import {
  decodeSnapshot,
  encodeSnapshot,
  type LostField,
  type Snapshot,
  SNAPSHOT_NAME,
  type SnapshotMeta,
} from "./snapshot.ts";
import type { HookKeeper } from "./airtable/hook.ts";
import { setMark } from "./mark.ts";
import type { Standing } from "./refresh_rule.ts";
import { type Listening, readStanding, readTold } from "./standing.ts";
import { ReadError, type RecordStore } from "./store.ts";
import { MAX_AGE_MILLISECONDS, MAX_LAG_MILLISECONDS, MAX_SKEW_MILLISECONDS } from "./values.ts";

/** The dependencies of the source. Times are milliseconds. */
interface EventsSourceOptions extends CatalogOptions {
  readonly kv: Deno.Kv;
  /** Null if the configuration has no store: every request is then refused. */
  readonly store: RecordStore | null;
  /** The column of each field. */
  readonly columns: Columns;
  readonly parseRecord: (record: StoreRecord) => RecordOutcome;
  readonly refreshSeconds: number;
  /** The source of change notifications; null without one, and the store is then read at the interval alone. */
  readonly listening: Listening | null;
  /** Maintains the hook; null without one. */
  readonly hook: Pick<HookKeeper, "keep" | "suspect"> | null;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly log: Pick<Log, "warn" | "error">;
}

/** Where routes and the cron job get the catalog. */
export interface EventsSource {
  /**
   * A catalog that is fresh enough to answer with.
   *
   * @throws {PublicError} `server_misconfigured` without a store, `upstream_error` if no snapshot is
   *   young enough and the store cannot be read.
   */
  catalog(): Catalog | Promise<Catalog>;
  /**
   * Reads the store if the snapshot is older than the refresh interval.
   *
   * @returns the error of a failed read; null after success. Only a read that a request began logs its error.
   */
  refresh(): Promise<unknown>;
  /** Whether a request has asked this process for events within the last half hour. */
  isWanted(): boolean;
  /**
   * Stores that the record store has changed or is to be read, and has it read soon, together with other
   * changes. Resolves when that is stored: no crash loses it.
   */
  noticeChange(): Promise<void>;
  /**
   * Whether the last read of the store succeeded, in any isolate; null without a store, or before the first
   * read.
   */
  isUp(): Promise<boolean | null>;
  /** The age of the stored snapshot in milliseconds, since its read began; null if there is none. */
  age(): Promise<number | null>;
}

/** Longer than a read may take. */
const LEASE_MILLISECONDS = 75_000;
const READ_TIMEOUT_MILLISECONDS = 60_000;
/** How long a request waits for a read. The read itself continues. */
const WAIT_MILLISECONDS = 25_000;
/** After a failed read, unless the store asks for more: long enough not to overload it. */
const PAUSE_SECONDS = 5;
/** For how long the status page names a column that is gone. */
const LOST_FIELD_MILLISECONDS = 7 * DAY_MILLISECONDS;
const REVISION_CHECK_MILLISECONDS = 1_000;
/** While visitors come, the job reads for them, so that hardly any of them waits. */
const WANTED_MILLISECONDS = 30 * 60_000;
/** How soon an isolate with requests learns of a notification that another isolate received. */
const STANDING_MILLISECONDS = 5_000;
/** How long one run of the job serves marks: the job runs each minute and may take no longer. */
const SERVING_MILLISECONDS = 60_000;
const MIN_WAIT_MILLISECONDS = 100;
/** The hint for callers; the status page tells operators more. */
const QUOTA_HINT =
  "The calls of the events store are used up for this month. The operator can choose a plan " +
  "with more calls, or have fewer made.";

/** Makes the source. It starts nothing by itself: requests and the cron job do. */
export function createEventsSource(options: EventsSourceOptions): EventsSource {
  const { kv, store, now, log } = options;
  const { listening, hook } = options;
  const refreshMilliseconds = options.refreshSeconds * 1_000;
  /** The standing of the snapshot that was read at a time. */
  let standing: Standing & { readonly readAt: number } | null = null;
  const catalogOptions = {
    ...options,
    rightUntilOf: ({ readAt }: SnapshotMeta) =>
      standing?.readAt === readAt ? standing.rightUntil : readAt,
  };
  /** The reads for marks that this isolate waits for. */
  let serving: Promise<void> | null = null;
  /** The store's revision at the last good read. */
  let revision: string | null = null;
  /** Findings of the last read, used only once its snapshot is stored. */
  let found: { readonly revision: string | null; readonly emptyColumns: readonly string[] };
  let revisionCheckedAt = -Infinity;
  let askedAt = -Infinity;

  const shared = createSharedCopy<Catalog, SnapshotMeta>({
    ...options,
    name: SNAPSHOT_NAME,
    codec: {
      encode: ({ snapshot }) => encodeSnapshot(snapshot),
      decode: async (bytes, meta) =>
        createCatalog(await decodeSnapshot(bytes, meta), catalogOptions),
      metaOf: ({ snapshot }) => snapshot.meta,
      withMeta: ({ snapshot }, meta) => createCatalog({ ...snapshot, meta }, catalogOptions),
    },
    read: async (previous, readAt) =>
      createCatalog(await readStore(previous?.snapshot ?? null, readAt), catalogOptions),
    renewMilliseconds: refreshMilliseconds,
    ...listening === null ? {} : {
      standingMilliseconds: STANDING_MILLISECONDS,
      async standingOf(meta: SnapshotMeta, at: number) {
        const found = await readStanding(kv, meta, listening, at);
        standing = { ...found, readAt: meta.readAt };
        return found;
      },
    },
    freshMilliseconds: MAX_AGE_MILLISECONDS,
    waitMilliseconds: WAIT_MILLISECONDS,
    leaseMilliseconds: LEASE_MILLISECONDS,
    pauseMilliseconds: (error) => pauseSecondsOf(error) * 1_000,
    kindOf: (error) => error instanceof ReadError ? error.fault : undefined,
    pauseKey,
    maxSkewMilliseconds: MAX_SKEW_MILLISECONDS,
    // Each snapshot carries on the history and the slugs of the stored one before.
    servesUnstored: false,
    withStore: clearFailure,
    onStored(catalog, previous) {
      revision = found.revision;
      suspectHook(catalog.snapshot.meta, previous?.snapshot.meta ?? null);
      reportProblems(catalog.snapshot, previous?.snapshot ?? null, found.emptyColumns);
    },
    async onFailure(error, lease) {
      if (!(error instanceof ReadError)) return;
      const { fault, message: reason } = error;
      const loss = error instanceof LossError ? error.loss : null;
      await recordFailure(kv, lease, { at: now(), fault, reason, loss });
    },
    report: reportFailure,
  });

  function reportFailure(error: unknown): void {
    log.error("events: the record store could not be read", { reason: String(error) });
  }

  async function readStore(previous: Snapshot | null, readAt: number): Promise<Snapshot> {
    if (store === null) throw new ReadError("refused", "no store is configured");
    const revision = await store.revision?.() ?? null;
    // Determined before the read: the next read serves a mark that comes during this one.
    const told = listening === null ? {} : await readTold(kv, listening);
    const signal = AbortSignal.timeout(READ_TIMEOUT_MILLISECONDS);
    const records = await store.read(signal);
    const outcomes = await mapInSlices(records, options.parseRecord);
    await nextTurn();
    const filled = filledFields(records, options.columns);
    const emptyColumns = emptyRequiredColumns(records, options.columns, filled);
    await nextTurn();
    await refuseLoss(previous, outcomes, emptyColumns, store, signal);
    await nextTurn();
    const built = await buildSnapshot(outcomes, previous, readAt, "hookId" in told);
    await nextTurn();
    const fields = await followFields(previous?.meta ?? null, filled, store, readAt, signal);
    found = { revision, emptyColumns };
    return { ...built, meta: { ...built.meta, ...fields, ...told } };
  }

  /** Reads the store when it is due; if a mark waits for its read, waits for that. */
  function serve(): Promise<void> {
    return serving ??= serveMarks().finally(() => serving = null);
  }

  async function serveMarks(): Promise<void> {
    for (const since = now(); now() - since < SERVING_MILLISECONDS;) {
      await shared.refresh();
      if (standing === null || !standing.isMarked) return;
      await options.sleep(Math.max(MIN_WAIT_MILLISECONDS, standing.dueAt - now()));
    }
  }

  /** @throws {LossError} if the read would lose too much, and no operator has accepted exactly this loss. */
  async function refuseLoss(
    previous: Snapshot | null,
    outcomes: readonly RecordOutcome[],
    emptyColumns: readonly string[],
    store: RecordStore,
    signal: AbortSignal,
  ): Promise<void> {
    const loss = findLoss(previous?.events ?? [], outcomes, emptyColumns);
    if (loss === null) return;
    if (await isAccepted(kv, loss, now())) {
      const what = { reason: lossInWords(loss) };
      log.warn("events: a read with a loss that an operator has accepted is used", what);
      return;
    }
    const gone = await missingOf(emptyColumns, store, signal) ?? [];
    const explained: Loss = {
      ...loss,
      emptyColumns: loss.emptyColumns.map(({ column }) => ({
        column,
        isGone: gone.includes(column),
      })),
    };
    throw new LossError(explained);
  }

  /** The fields that have values now, and those that lost their values because their column is gone. */
  async function followFields(
    before: SnapshotMeta | null,
    filled: ReadonlySet<EventField>,
    store: RecordStore,
    readAt: number,
    signal: AbortSignal,
  ): Promise<Pick<SnapshotMeta, "filledFields" | "lostFields">> {
    const { columns } = options;
    const known = (before?.lostFields ?? []).filter(({ field, since }) =>
      !filled.has(field) && readAt - since < LOST_FIELD_MILLISECONDS
    );
    const emptied = (before?.filledFields ?? []).filter((field) => !filled.has(field));
    const missing = await missingOf(emptied.map((field) => columns[field]), store, signal);
    const lost = emptied.filter((field) => missing?.includes(columns[field]));
    for (const field of lost) {
      const about = { field, column: columns[field] };
      log.warn("events: the store has no such column; its field is empty in all events", about);
    }
    const found = lost.map((field): Omit<LostField, "column"> => ({ field, since: readAt }));
    return {
      // A store that did not report its columns is asked again at the next read.
      filledFields: [...filled, ...(missing === null ? emptied : [])],
      // The configuration may name another column meanwhile.
      lostFields: [...known, ...found].map(({ field, since }) => ({
        field,
        column: columns[field],
        since,
      })),
    };
  }

  /** The columns that the store lacks; null if it does not report them. */
  async function missingOf(
    columns: readonly string[],
    store: RecordStore,
    signal: AbortSignal,
  ): Promise<readonly string[] | null> {
    if (columns.length === 0 || store.missingColumns === undefined) return [];
    try {
      return await store.missingColumns(columns, signal);
    } catch (error) {
      const reason = String(error);
      log.warn("events: the store does not report which columns it has", { reason });
      return null;
    }
  }

  /** A change without a notification may mean that the hook is dead. */
  function suspectHook(meta: SnapshotMeta, before: SnapshotMeta | null): void {
    const isTold = before === null || before.markServed !== meta.markServed ||
      before.hookId !== meta.hookId;
    if (isTold || meta.hookId === undefined || before.factsDigest === meta.factsDigest) return;
    hook?.suspect().catch(reportFailure);
  }

  function reportProblems(
    snapshot: Snapshot,
    previous: Snapshot | null,
    emptyColumns: readonly string[],
  ): void {
    if (snapshot.meta.digest === previous?.meta.digest) return;
    for (const column of emptyColumns) {
      log.error("events: no record has a value in a required column, so none is an event", {
        column,
      });
    }
    const known = new Set(previous?.problems.map((problem) => JSON.stringify(problem)));
    for (const problem of snapshot.problems) {
      if (emptyColumns.includes(problem.field)) continue;
      if (!known.has(JSON.stringify(problem))) log.warn("events: a record has a problem", problem);
    }
  }

  /** Replaces the snapshot at once if the store's revision has changed, instead of at the next interval. */
  async function checkRevision(): Promise<void> {
    revisionCheckedAt = now();
    if ((await store?.revision?.() ?? null) !== revision) shared.replace();
  }

  function refuse(cause: unknown): never {
    const seconds = shared.pauseLeft() / 1_000 || PAUSE_SECONDS;
    const fault = cause instanceof PausedError
      ? cause.pause.kind
      : cause instanceof ReadError
      ? cause.fault
      : null;
    throw new PublicError("upstream_error", "The event store cannot be read right now.", {
      hint: fault === "quota" ? QUOTA_HINT : "Try again after the time in the Retry-After header.",
      headers: { "retry-after": String(Math.ceil(seconds)) },
      cause,
    });
  }

  return {
    catalog() {
      if (store === null) {
        throw new PublicError("server_misconfigured", "The events store is not configured.", {
          hint: "The operator sets AIRTABLE_TOKEN and AIRTABLE_BASE_ID, or EVENTS_STORE=file.",
        });
      }
      askedAt = now();
      const copy = shared.get();
      if (copy instanceof Promise) return copy.then(({ value }) => value, refuse);
      if (store.revision && now() - revisionCheckedAt >= REVISION_CHECK_MILLISECONDS) {
        checkRevision().catch((error) => {
          log.error("events: the revision of the record store could not be read", {
            reason: String(error),
          });
        });
      }
      return copy.value;
    },
    async refresh() {
      if (store === null) return null;
      await hook?.keep();
      return await serve().then(() => null, (error: unknown) => error);
    },
    async noticeChange() {
      await setMark(kv, now());
      serve().catch(reportFailure);
    },
    isWanted: () => Math.abs(now() - askedAt) < WANTED_MILLISECONDS,
    async isUp() {
      if (store === null) return null;
      const [failure, { pointer }] = await Promise.all([
        readFailure(kv),
        getBlobPointer<SnapshotMeta>(kv, SNAPSHOT_NAME),
      ]);
      return failure === null ? pointer === null ? null : true : false;
    },
    async age() {
      const { pointer } = await getBlobPointer<SnapshotMeta>(kv, SNAPSHOT_NAME);
      return pointer === null ? null : now() - pointer.meta.readAt;
    },
  };
}

/** The stored snapshot, however old, for readers that never refresh it; null if there is none. */
export async function readStoredSnapshot(kv: Deno.Kv): Promise<Snapshot | null> {
  const { pointer } = await getBlobPointer<SnapshotMeta>(kv, SNAPSHOT_NAME);
  const bytes = pointer === null ? null : await readBlob(kv, SNAPSHOT_NAME, pointer);
  return pointer === null || bytes === null ? null : await decodeSnapshot(bytes, pointer.meta);
}

/**
 * The pause after an error: no longer than the allowed lag, because a longer one would look like a clock set back.
 * Only a used-up quota deserves a longer wait.
 */
function pauseSecondsOf(error: unknown): number {
  if (!(error instanceof ReadError)) return PAUSE_SECONDS;
  const { fault, pauseSeconds } = error;
  const longest = fault === "quota" ? Infinity : MAX_LAG_MILLISECONDS / 1_000;
  return Math.min(pauseSeconds ?? PAUSE_SECONDS, longest);
}
