/** One read of the record store: its records are compared with the last ones, and become the next snapshot. */

import type { Columns, EventField } from "../platform/columns.ts";
import type { Log } from "../platform/log.ts";
import { DAY_MILLISECONDS } from "../platform/time.ts";
import { nextTurn } from "../platform/timeout.ts";
import { findLoss, LossError, lossInWords } from "./loss.ts";
import type { RecordOutcome } from "./record.ts";
import {
  buildSnapshot,
  type Built,
  type Past,
  type Snapshot,
  type SnapshotMeta,
} from "./snapshot.ts";
import { isAccepted, type RecordStore } from "./store.ts";

/** The dependencies of reads. */
export interface StoreReaderOptions {
  readonly kv: Deno.Kv;
  readonly store: RecordStore;
  /** The column of each field. */
  readonly columns: Columns;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Pick<Log, "warn" | "error">;
}

/** The result of a read. */
interface StoreReading extends Built {
  /** The store's revision before the read; null if it has none. */
  readonly revision: string | null;
  /** Required columns in which no record has a value. */
  readonly emptyColumns: readonly string[];
}

const READ_TIMEOUT_MILLISECONDS = 60_000;
/** The time for which the status page names a missing column. */
const LOST_FIELD_MILLISECONDS = 7 * DAY_MILLISECONDS;
/** A record without them is not an event. `createdTime` of the record can replace `announcedAt`. */
const REQUIRED_FIELDS: readonly EventField[] = ["name", "startDate"];

/**
 * Reads the store.
 *
 * @param past what the read continues.
 * @param served the notification and the hook that it serves, determined before it.
 * @param readAt epoch milliseconds.
 * @throws {ReadError} if the store cannot be read, or the read would lose too much.
 */
export async function readStore(
  options: StoreReaderOptions,
  past: Past,
  served: Pick<SnapshotMeta, "served" | "hookId">,
  readAt: number,
): Promise<StoreReading> {
  const { store, columns } = options;
  const revision = store.revision?.() ?? null;
  const signal = AbortSignal.timeout(READ_TIMEOUT_MILLISECONDS);
  const outcomes = await store.read(signal);
  const filled = new Set(outcomes.flatMap((outcome) => [...outcome.filled]));
  const emptyColumns = outcomes.length === 0
    ? []
    : REQUIRED_FIELDS.filter((field) => !filled.has(field)).map((field) => columns[field]);
  await refuseLoss(options, past.history?.events ?? [], outcomes, emptyColumns, signal);
  await nextTurn();
  const { history, snapshot } = await buildSnapshot(outcomes, past, readAt, "hookId" in served);
  await nextTurn();
  const fields = await followFields(options, past.snapshot?.meta ?? null, filled, readAt, signal);
  const meta = { ...snapshot.meta, ...fields, ...served };
  return { history, snapshot: { ...snapshot, meta }, revision, emptyColumns };
}

/** @throws {LossError} if the read would lose too much, and no operator has accepted exactly this loss. */
async function refuseLoss(
  options: StoreReaderOptions,
  known: readonly { readonly id: string; readonly name: string }[],
  outcomes: readonly RecordOutcome[],
  emptyColumns: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const loss = await findLoss(known, outcomes, emptyColumns);
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
  if (snapshot.problems === previous?.problems) return;
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
