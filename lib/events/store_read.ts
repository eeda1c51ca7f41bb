/**
 * One read of the record store: its records are compared with the last snapshot, and become the next one.
 *
 * A read that would lose most of the events at once fails: a column was renamed, a view filters, a setting names
 * another table. Consumers that mirror the events would delete them. It fails until an operator accepts exactly that
 * loss; the rule is in `static/docs/operate.md`.
 */

import type { Columns, EventField } from "../platform/columns.ts";
import { digestOf } from "../platform/digest.ts";
import type { Log } from "../platform/log.ts";
import { DAY_MILLISECONDS } from "../platform/time.ts";
import { forEachInSlices, nextTurn } from "../platform/timeout.ts";
import { filledFields, type RecordOutcome } from "./record.ts";
import { buildSnapshot } from "./build_snapshot.ts";
import type { Snapshot, SnapshotMeta } from "./snapshot.ts";
import { type ChangeSource, readServed } from "./freshness.ts";
import { isAccepted, type Loss, ReadError, type RecordStore } from "./store.ts";
import { compare } from "./values.ts";

/** The dependencies of reads. */
export interface StoreReaderOptions {
  readonly kv: Deno.Kv;
  readonly store: RecordStore;
  /** The column of each field. */
  readonly columns: Columns;
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

/** In a table with fewer known events, a read may lose any of them as long as it finds an event. */
const SMALL_TABLE = 10;

/** A record without them is not an event. `createdTime` of the record can replace `announcedAt`. */
const REQUIRED_FIELDS: readonly EventField[] = ["name", "startDate"];
const MAX_EXAMPLES = 10;
const MAX_NAME_LENGTH = 100;
/**
 * The pause after a refused loss, as long as after other refusals: a read of a large table takes many calls, and the
 * store counts each.
 */
const PAUSE_SECONDS = 30;

/** A read that was refused because of its loss. */
export class LossError extends ReadError {
  constructor(readonly loss: Loss) {
    const advice = "If the loss is intended, run: deno task events accept";
    super("loss", `${lossInWords(loss)}. ${remedyInWords(loss)}. ${advice}`, PAUSE_SECONDS);
  }
}

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
  // If it cannot be determined, the read itself says why.
  const revision = await store.revision?.().catch(() => null) ?? null;
  // Determined before the read: the next read serves a notification that comes during this one.
  const served = changeSource === null ? {} : await readServed(kv, changeSource);
  const signal = AbortSignal.timeout(READ_TIMEOUT_MILLISECONDS);
  const outcomes = await store.read(signal);
  const filled = filledFields(outcomes);
  const emptyColumns = outcomes.length === 0 ? [] : emptyRequiredColumns(columns, filled);
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
  const loss = await findLoss(previous?.events ?? [], outcomes, emptyColumns);
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

/** Whether a read loses more than half of the known events; in a small table, whether it finds no event. */
function isTooMuch(lost: number, known: number, found: number): boolean {
  if (known < SMALL_TABLE) return known > 0 && found === 0;
  return lost > known / 2;
}

/**
 * The loss of a read, if it is too much; null if it is not, or nothing was known before.
 *
 * @param known the events of the last good read.
 */
async function findLoss(
  known: readonly { readonly id: string; readonly name: string }[],
  outcomes: readonly RecordOutcome[],
  emptyColumns: readonly string[],
): Promise<Loss | null> {
  const present = new Set<string>();
  await forEachInSlices(outcomes, ({ parsed }) => {
    if (parsed !== null) present.add(parsed.event.id);
  });
  const lost = known.filter(({ id }) => !present.has(id));
  if (!isTooMuch(lost.length, known.length, present.size)) return null;
  const spoilt = outcomes.flatMap(({ problems }) => problems.filter(({ leftOut }) => leftOut));
  const byRecord = Map.groupBy(spoilt, ({ recordId }) => recordId);
  const leftOut = lost.filter(({ id }) => byRecord.has(id));
  const byColumn = Map.groupBy(
    leftOut.flatMap(({ id }) => [...new Set(byRecord.get(id)?.map(({ field }) => field))]),
    (column) => column,
  );
  const ways = lost.map(({ id }) => `${id} ${byRecord.has(id) ? "left out" : "gone"}`);
  return {
    digest: digestOf(ways.toSorted(compare).join("\n")),
    known: known.length,
    gone: lost.length - leftOut.length,
    leftOut: leftOut.length,
    emptyColumns: emptyColumns.map((column) => ({ column, isGone: false })),
    columns: [...byColumn].map(([column, { length }]) => ({ column, records: length }))
      .toSorted((a, b) => b.records - a.records),
    examples: lost.slice(0, MAX_EXAMPLES)
      .map(({ id, name }) => ({ id, name: name.slice(0, MAX_NAME_LENGTH) })),
  };
}

/** The required columns in which no record has a value. */
function emptyRequiredColumns(
  columns: Columns,
  filled: ReadonlySet<EventField>,
): readonly string[] {
  return REQUIRED_FIELDS.filter((field) => !filled.has(field)).map((field) => columns[field]);
}

/** A loss and its causes in words. */
export function lossInWords({ known, gone, leftOut, emptyColumns, columns }: Loss): string {
  const whole = (count: number) => count.toLocaleString("en");
  const causes = emptyColumns.length > 0
    ? emptyColumns.map(({ column, isGone }) =>
      isGone ? `the store has no column “${column}”` : `no record has a value in “${column}”`
    )
    : [
      ...columns.map(({ column, records }) =>
        `“${column}” is invalid in ${whole(records)} of them`
      ),
      ...(gone === 0 ? [] : [`the records of ${whole(gone)} are gone`]),
    ];
  return `The last read would have lost ${whole(gone + leftOut)} of ${whole(known)} events: ${
    causes.join(", ")
  }`;
}

/** How an operator repairs an unintended loss. */
export function remedyInWords({ emptyColumns, columns }: Loss): string {
  if (emptyColumns.length > 0) return "Restore the column, or correct AIRTABLE_FIELDS";
  if (columns.length > 0) return "Correct the column, or AIRTABLE_FIELDS";
  return "Restore the records, or check which table and view the settings name";
}
