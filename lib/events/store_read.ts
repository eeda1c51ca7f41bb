/**
 * One read of the record store: its records are compared with the last snapshot, and become the next one. A read that
 * would lose most of the events fails (`loss.ts`).
 */

import type { Columns, EventField } from "../columns.ts";
import type { Log } from "../telemetry/mod.ts";
import { DAY_MILLISECONDS } from "../time.ts";
import { mapInSlices, nextTurn } from "../timeout.ts";
import { emptyRequiredColumns, filledFields, findLoss, LossError, lossInWords } from "./loss.ts";
import type { RecordOutcome, StoreRecord } from "./record.ts";
import { buildSnapshot } from "./build_snapshot.ts";
import type { Snapshot, SnapshotMeta } from "./snapshot.ts";
import { type ChangeSource, readServed } from "./freshness.ts";
import { isAccepted, type RecordStore } from "./store.ts";

/** The dependencies of reads. */
export interface StoreReaderOptions {
  readonly kv: Deno.Kv;
  readonly store: RecordStore;
  /** The column of each field. */
  readonly columns: Columns;
  readonly parseRecord: (record: StoreRecord) => RecordOutcome;
  /** The source of change notifications; null without one. */
  readonly changeSource: ChangeSource | null;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Pick<Log, "warn" | "error">;
}

/** The result of a read. */
export interface StoreReading {
  readonly snapshot: Snapshot;
  /** The store's revision before the read; null if it has none. */
  readonly revision: string | null;
  /** Required columns in which no record has a value. */
  readonly emptyColumns: readonly string[];
}

const READ_TIMEOUT_MILLISECONDS = 60_000;
/** The time for which the status page names a missing column. */
const LOST_FIELD_MILLISECONDS = 7 * DAY_MILLISECONDS;

/**
 * Reads the store.
 *
 * @param previous the last snapshot, however old.
 * @param readAt epoch milliseconds.
 * @throws {ReadError} if the store cannot be read, or the read would lose too much.
 */
export async function readStore(
  options: StoreReaderOptions,
  previous: Snapshot | null,
  readAt: number,
): Promise<StoreReading> {
  const { kv, store, columns, changeSource } = options;
  const revision = await store.revision?.() ?? null;
  // Determined before the read: the next read serves a notification that comes during this one.
  const served = changeSource === null ? {} : await readServed(kv, changeSource);
  const signal = AbortSignal.timeout(READ_TIMEOUT_MILLISECONDS);
  const records = await store.read(signal);
  const outcomes = await mapInSlices(records, options.parseRecord);
  await nextTurn();
  const filled = filledFields(records, columns);
  const emptyColumns = emptyRequiredColumns(records, columns, filled);
  await nextTurn();
  await refuseLoss(options, previous, outcomes, emptyColumns, signal);
  await nextTurn();
  const built = await buildSnapshot(outcomes, previous, readAt, "hookId" in served);
  await nextTurn();
  const fields = await followFields(options, previous?.meta ?? null, filled, readAt, signal);
  const snapshot = { ...built, meta: { ...built.meta, ...fields, ...served } };
  return { snapshot, revision, emptyColumns };
}

/** @throws {LossError} if the read would lose too much, and no operator has accepted exactly this loss. */
async function refuseLoss(
  options: StoreReaderOptions,
  previous: Snapshot | null,
  outcomes: readonly RecordOutcome[],
  emptyColumns: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const loss = findLoss(previous?.events ?? [], outcomes, emptyColumns);
  if (loss === null) return;
  if (await isAccepted(options.kv, loss, options.now())) {
    const what = { reason: lossInWords(loss) };
    options.log.warn("events: a read with a loss that an operator has accepted is used", what);
    return;
  }
  const gone = await missingOf(options, emptyColumns, signal) ?? [];
  const columns = emptyColumns.map((column) => ({ column, isGone: gone.includes(column) }));
  throw new LossError({ ...loss, emptyColumns: columns });
}

/** The fields that have values now, and those that lost them because their column is gone. */
async function followFields(
  options: StoreReaderOptions,
  before: SnapshotMeta | null,
  filled: ReadonlySet<EventField>,
  readAt: number,
  signal: AbortSignal,
): Promise<Pick<SnapshotMeta, "filledFields" | "lostFields">> {
  const { columns, log } = options;
  const known = (before?.lostFields ?? []).filter(({ field, since }) =>
    !filled.has(field) && readAt - since < LOST_FIELD_MILLISECONDS
  );
  const emptied = (before?.filledFields ?? []).filter((field) => !filled.has(field));
  const missing = await missingOf(options, emptied.map((field) => columns[field]), signal);
  const lost = emptied.filter((field) => missing?.includes(columns[field]));
  for (const field of lost) {
    const about = { field, column: columns[field] };
    log.warn("events: the store has no such column; its field is empty in all events", about);
  }
  const found = lost.map((field) => ({ field, since: readAt }));
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
  { store, log }: StoreReaderOptions,
  columns: readonly string[],
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

/** Logs the problems that the previous snapshot did not have. */
export function reportProblems(
  { log }: Pick<StoreReaderOptions, "log">,
  { snapshot, emptyColumns }: StoreReading,
  previous: Snapshot | null,
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
