/**
 * The source of the catalog: which snapshot is served, and when the record store is read again.
 *
 * Nobody is given data older than five minutes, what the answer may be cached for included (events
 * contract, section 1). So a snapshot is served until it is nearly that old, since clocks differ; past the
 * refresh interval a request also starts a read in the background; and past that age it waits for one.
 * One isolate reads at a time (a lease), the others load what it wrote. A read that would lose most of the
 * events has failed (`loss.ts`).
 */

import type { EventField } from "../config.ts";
import { PublicError } from "../http/mod.ts";
import {
  type BlobEntry,
  getBlobPointer,
  getEntry,
  type Lease,
  readBlob,
  removeOldVersions,
  setEntry,
  takeLease,
  updateBlobMeta,
  writeBlob,
} from "../kv/mod.ts";
import type { Log } from "../telemetry/mod.ts";
import { DAY_MILLISECONDS } from "../time.ts";
import { type Catalog, type CatalogOptions, createCatalog } from "./catalog.ts";
import type { Columns } from "./columns.ts";
import { clearFailure, isAccepted, pauseKey, readFailure, recordFailure } from "./failure.ts";
import {
  emptyRequiredColumns,
  filledFields,
  findLoss,
  type Loss,
  LossError,
  lossInWords,
} from "./loss.ts";
import type { RecordOutcome, StoreRecord } from "./record.ts";
import {
  buildSnapshot,
  decodeSnapshot,
  encodeSnapshot,
  type LostField,
  nextTurn,
  type Snapshot,
  type SnapshotMeta,
} from "./snapshot.ts";
import { type RecordStore, StoreError } from "./store.ts";
import { MAX_AGE_MILLISECONDS, MAX_LAG_MILLISECONDS, MAX_SKEW_MILLISECONDS } from "./values.ts";

/** What the source needs from outside. Times are milliseconds. */
interface EventsSourceOptions extends CatalogOptions {
  readonly kv: Deno.Kv;
  /** Null if the configuration has no store: every request is then refused. */
  readonly store: RecordStore | null;
  /** Where `parseRecord` looks for each field. */
  readonly columns: Columns;
  readonly parseRecord: (record: StoreRecord) => RecordOutcome;
  readonly refreshSeconds: number;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
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
   * @returns what it failed of; null if it did not. Only a read that a request began has logged it.
   */
  refresh(): Promise<unknown>;
  /**
   * Whether the last read of the store succeeded, in whichever isolate it was; null without a store, or
   * before the first read.
   */
  isUp(): Promise<boolean | null>;
  /** How many milliseconds ago the read began that made what is stored; null if nothing is. */
  age(): Promise<number | null>;
}

const BLOB = "events";
const LEASE = "events";
/** Longer than a read may take, so that one that lives never loses its lease. */
const LEASE_MILLISECONDS = 75_000;
const READ_TIMEOUT_MILLISECONDS = 60_000;
/** How long a request waits for a read. The read itself goes on. */
const WAIT_MILLISECONDS = 25_000;
/** Between two looks at the pointer while another isolate reads. */
const POLL_MILLISECONDS = 250;
/** After a failed read, unless the store asks for more: long enough not to hammer it. */
const PAUSE_SECONDS = 5;
/** For how long the status page names a column that is gone. */
const LOST_FIELD_MILLISECONDS = 7 * DAY_MILLISECONDS;
/** The `readAt` of a snapshot whose age is not known. */
const NEVER = 0;
const REVISION_CHECK_MILLISECONDS = 1_000;
const RECORDS_PER_TURN = 25;

/** After a failure the store is left alone, by all isolates. */
interface Pause {
  /** Epoch milliseconds. */
  readonly until: number;
  readonly seconds: number;
}

/** Makes the source. It starts nothing by itself: requests and the cron job do. */
export function createEventsSource(options: EventsSourceOptions): EventsSource {
  const { kv, store, now, log } = options;
  const refreshMilliseconds = options.refreshSeconds * 1_000;
  let catalog: Catalog | null = null;
  let running: Promise<void> | null = null;
  let revision: string | null = null;
  let revisionCheckedAt = -Infinity;
  /** This isolate's own, after a failure; the one in KV tells the others. */
  let pause: Pause | null = null;

  const age = () => catalog === null ? Infinity : now() - catalog.snapshot.meta.readAt;
  /** A snapshot from further in the future than clocks differ has no known age. */
  const isYoungerThan = (milliseconds: number) =>
    age() >= -MAX_SKEW_MILLISECONDS && age() < milliseconds;

  /** Loads the stored snapshot, if it is another one than the current. */
  async function load(): Promise<BlobEntry<SnapshotMeta>> {
    const entry = await getBlobPointer<SnapshotMeta>(kv, BLOB);
    const { pointer } = entry;
    const held = catalog?.snapshot;
    if (pointer === null) return entry;
    if (held?.meta.digest === pointer.meta.digest) {
      if (held.meta.readAt !== pointer.meta.readAt) show({ ...held, meta: pointer.meta });
      return entry;
    }
    try {
      const bytes = await readBlob(kv, BLOB, pointer);
      if (bytes === null) throw new Error("some of its chunks are missing");
      show(await decodeSnapshot(bytes, pointer.meta));
    } catch (error) {
      // The store still has everything: the read that follows mends the database.
      log.error("events: the stored snapshot cannot be read", { reason: String(error) });
    }
    return entry;
  }

  function show(snapshot: Snapshot): void {
    catalog = createCatalog(snapshot, options);
  }

  /**
   * One read at a time in this isolate; callers share it. Whoever begins it logs its failure, by itself
   * or by `tell`; who joins it may once more.
   */
  function refreshOnce(wanted: () => boolean, tell = (_error: unknown) => {}): Promise<void> {
    return running ??= refreshWhile(wanted)
      .catch((error) => {
        pause = pauseAfter(error);
        tell(error);
        throw error;
      })
      .finally(() => running = null);
  }

  function logFailure(error: unknown): void {
    log.error("events: the record store could not be read", { reason: String(error) });
  }

  /** Until the data are young enough: loads what is stored, else reads the store, else waits. */
  async function refreshWhile(wanted: () => boolean): Promise<void> {
    for (const startedAt = now(); now() - startedAt < WAIT_MILLISECONDS;) {
      await load();
      if (!wanted()) return;
      await respectPause();
      const lease = await takeLease(kv, LEASE, LEASE_MILLISECONDS, now());
      if (lease !== null) return await readWith(lease, wanted);
      await options.sleep(POLL_MILLISECONDS);
    }
    throw new StoreError("unavailable", "another process is still reading the store");
  }

  async function respectPause(): Promise<void> {
    const { value } = await getEntry<Pause>(kv, pauseKey);
    const left = secondsLeft(value);
    if (left > 0) {
      throw new StoreError("unavailable", "the store is left alone after a failure", left);
    }
  }

  function pauseAfter(error: unknown): Pause {
    const seconds = pauseSecondsOf(error);
    return { until: now() + seconds * 1_000, seconds };
  }

  /** What is left of a pause; 0 if that is more than the pause was made for: a clock is wrong then. */
  function secondsLeft(pause: Pause | null): number {
    if (pause === null) return 0;
    const left = pause.until - now();
    return left > 0 && left <= pause.seconds * 1_000 + MAX_SKEW_MILLISECONDS ? left / 1_000 : 0;
  }

  async function readWith(lease: Lease, wanted: () => boolean): Promise<void> {
    try {
      // The last holder of the lease may have written since the snapshot was loaded.
      const replaces = await load();
      if (wanted()) await readStore(lease, await disown(replaces, lease));
    } catch (error) {
      const shared = pauseAfter(error);
      await setEntry(kv, pauseKey, shared, { expireIn: shared.seconds * 1_000 });
      if (error instanceof StoreError) {
        const { fault, message: reason } = error;
        const loss = error instanceof LossError ? error.loss : null;
        await recordFailure(kv, lease, { at: now(), fault, reason, loss });
      }
      throw error;
    } finally {
      await lease.release();
    }
  }

  /**
   * Marks a stored snapshot from the future (some clock is wrong) as one of unknown age. Otherwise it would
   * count as fresh once that time has come, should the store not answer until then.
   */
  async function disown(
    entry: BlobEntry<SnapshotMeta>,
    lease: Lease,
  ): Promise<BlobEntry<SnapshotMeta>> {
    const { pointer } = entry;
    if (pointer === null || pointer.meta.readAt <= now() + MAX_SKEW_MILLISECONDS) return entry;
    const meta = { ...pointer.meta, readAt: NEVER };
    const change = { replaces: entry, meta, guard: lease.guard };
    const written = await updateBlobMeta(kv, BLOB, pointer, change, now());
    if (written === null) throw new StoreError("unavailable", "the lease was lost before the read");
    return await load();
  }

  async function readStore(lease: Lease, replaces: BlobEntry<SnapshotMeta>): Promise<void> {
    if (store === null) throw new StoreError("refused", "no store is configured");
    const readAt = now();
    const seenRevision = await store.revision?.() ?? null;
    const signal = AbortSignal.timeout(READ_TIMEOUT_MILLISECONDS);
    const records = await store.read(signal);
    const outcomes: RecordOutcome[] = [];
    for (const [at, record] of records.entries()) {
      if (at % RECORDS_PER_TURN === 0) await nextTurn();
      outcomes.push(options.parseRecord(record));
    }
    const previous = catalog?.snapshot ?? null;
    const filled = filledFields(records, options.columns);
    const emptyColumns = emptyRequiredColumns(records, options.columns, filled);
    await refuseLoss(previous, outcomes, emptyColumns, store, signal);
    const built = await buildSnapshot(outcomes, previous, readAt);
    const fields = await followFields(previous?.meta ?? null, filled, store, readAt, signal);
    const snapshot = { ...built, meta: { ...built.meta, ...fields } };
    const guard = (operation: Deno.AtomicOperation) => clearFailure(lease.guard(operation));
    const change = { replaces, meta: snapshot.meta, guard };
    const { digest } = snapshot.meta;
    // Chunks that could not be read (`previous` is then another snapshot) are written anew.
    const same = previous?.meta.digest === digest && replaces.pointer?.meta.digest === digest
      ? replaces.pointer
      : null;
    const written = same === null
      ? await writeBlob(kv, BLOB, await encodeSnapshot(snapshot), change, now())
      : await updateBlobMeta(kv, BLOB, same, change, now());
    if (written === null) throw new StoreError("unavailable", "the lease was lost during the read");
    revision = seenRevision;
    if (same === null) reportProblems(snapshot, previous, emptyColumns);
    show(snapshot);
    await removeOldVersions(kv, BLOB, now());
  }

  /** @throws {LossError} if the read would lose too much and no operator has accepted just that. */
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
      log.warn("events: a loss that an operator has accepted is taken over", what);
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

  /** The fields that have values now, and those whose values went with their column. */
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
      // A store that did not say is asked again at the next read.
      filledFields: [...filled, ...(missing === null ? emptied : [])],
      // The configuration may name another column meanwhile.
      lostFields: [...known, ...found].map(({ field, since }) => ({
        field,
        column: columns[field],
        since,
      })),
    };
  }

  /** Those of the columns that the store does not have; null if it does not say. */
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
      log.warn("events: the store does not say which columns it has", { reason });
      return null;
    }
  }

  function reportProblems(
    snapshot: Snapshot,
    previous: Snapshot | null,
    emptyColumns: readonly string[],
  ): void {
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

  /** Starts a refresh that nobody waits for, unless one runs. */
  function refreshInBackground(wanted: () => boolean): void {
    if (running === null && secondsLeft(pause) === 0) {
      refreshOnce(wanted, logFailure).catch(ignoreLogged);
    }
  }

  /** A store that tells cheaply that it has changed is read at once, not at the next interval. */
  async function checkRevision(): Promise<void> {
    revisionCheckedAt = now();
    const current = await store?.revision?.() ?? null;
    if (current === revision) return;
    const stale = catalog?.snapshot.meta.readAt;
    refreshInBackground(() => catalog?.snapshot.meta.readAt === stale);
  }

  async function waitForCatalog(): Promise<Catalog> {
    let cause: unknown = null;
    if (secondsLeft(pause) === 0) {
      const refreshed = refreshOnce(() => !isYoungerThan(MAX_AGE_MILLISECONDS), logFailure)
        .catch((error) => cause = error);
      await Promise.race([refreshed, options.sleep(WAIT_MILLISECONDS)]);
      if (catalog !== null && isYoungerThan(MAX_AGE_MILLISECONDS)) return catalog;
    }
    const seconds = secondsLeft(pause) || PAUSE_SECONDS;
    throw new PublicError("upstream_error", "The events cannot be read from their store now.", {
      hint: "Try again after the time in the Retry-After header.",
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
      if (catalog === null || !isYoungerThan(MAX_AGE_MILLISECONDS)) return waitForCatalog();
      if (!isYoungerThan(refreshMilliseconds)) {
        refreshInBackground(() => !isYoungerThan(refreshMilliseconds));
      } else if (store.revision && now() - revisionCheckedAt >= REVISION_CHECK_MILLISECONDS) {
        checkRevision().catch((error) => {
          log.error("events: the record store could not be looked at", { reason: String(error) });
        });
      }
      return catalog;
    },
    async refresh() {
      if (store === null) return null;
      const refreshed = refreshOnce(() => !isYoungerThan(refreshMilliseconds));
      return await refreshed.then(() => null, (error: unknown) => error);
    },
    async isUp() {
      if (store === null) return null;
      const [failure, { pointer }] = await Promise.all([
        readFailure(kv),
        getBlobPointer<SnapshotMeta>(kv, BLOB),
      ]);
      return failure === null ? pointer === null ? null : true : false;
    },
    async age() {
      const { pointer } = await getBlobPointer<SnapshotMeta>(kv, BLOB);
      return pointer === null ? null : now() - pointer.meta.readAt;
    },
  };
}

/**
 * The snapshot that is stored, however old; null if there is none. For those who only look: the service
 * itself answers from its source.
 */
export async function readStoredSnapshot(kv: Deno.Kv): Promise<Snapshot | null> {
  const { pointer } = await getBlobPointer<SnapshotMeta>(kv, BLOB);
  const bytes = pointer === null ? null : await readBlob(kv, BLOB, pointer);
  return pointer === null || bytes === null ? null : await decodeSnapshot(bytes, pointer.meta);
}

/** For failures that are logged and that nobody waits for. */
function ignoreLogged(): void {}

/** A longer pause than the lag allowed looks like a clock that went back. */
function pauseSecondsOf(error: unknown): number {
  const asked = error instanceof StoreError ? error.pauseSeconds : null;
  return Math.min(asked ?? PAUSE_SECONDS, MAX_LAG_MILLISECONDS / 1_000);
}
