/**
 * The guard against losses. A read that would lose most of the events at once fails: a required column was renamed, a
 * view filters, a setting names another table. Consumers that mirror the events would delete them. It fails until an
 * operator accepts exactly that loss. The loss of another column costs the column: the events are served without it, and
 * the operator is told until it is back or the loss is accepted. The rules are in `static/docs/operate.md`.
 */

import { type Columns, EVENT_FIELDS, type EventField } from "../../platform/event_columns.ts";
import { digestOf } from "../../platform/digest.ts";
import type { Log } from "../../platform/log.ts";
import type { Platform } from "../../platform/platform.ts";
import { grouped } from "../../platform/text.ts";
import { forEachInSlices } from "../../platform/timeout.ts";
import type { RecordOutcome } from "./record.ts";
import { isAccepted } from "../keeping/failure.ts";
import { type Loss, ReadError } from "./record_store.ts";
import { compare } from "../values.ts";

/** In a table with fewer known events, a read may lose any of them as long as it finds an event. */
const SMALL_TABLE = 10;
/** A column with fewer values may be emptied by hand. */
const FEW_VALUES = 3;
const MAX_EXAMPLES = 10;
const MAX_NAME_LENGTH = 100;
/**
 * The pause after a refused loss, as long as after other refusals: a read of a large table takes many calls, and the
 * store counts each.
 */
const PAUSE_SECONDS = 30;

/** Whether a read loses more than half of the known events; in a small table, whether it finds no event. */
function isTooMuch(lost: number, known: number, found: number): boolean {
  if (known < SMALL_TABLE) return known > 0 && found === 0;
  return lost > known / 2;
}

/** How many events a read found, and how many of them had a value in a column. */
interface ColumnCount {
  readonly of: number;
  readonly had: number;
}

/** The counts of each column at the last read that had not lost it; absent after its loss was accepted. */
export type ColumnCounts = { readonly [F in EventField]?: ColumnCount };

/** A column in which most events had a value, and most now have none: renamed, emptied, or of another kind. */
export interface LostColumn extends ColumnCount {
  readonly field: EventField;
  readonly column: string;
}

/** The counts and losses of a read's columns. */
export interface ReadColumns {
  /** The counts with which the next read is compared. */
  readonly counts: ColumnCounts;
  readonly lost: readonly LostColumn[];
}

/** The knowledge of earlier reads. */
interface Known {
  readonly events: readonly {
    readonly id: string;
    readonly name: string;
    readonly endDate: string | null;
  }[];
  /** Absent before the first read. */
  readonly columns?: ColumnCounts;
}

/**
 * Lets a read pass that loses no column but optional ones, and few events, or what an operator has accepted.
 *
 * @param known what the last good read had; null before the first.
 * @throws {ReadError} `loss` for any other.
 */
export async function judgeRead(
  { kv, now, log, columns }: Pick<Platform, "kv" | "now"> & {
    readonly log: Pick<Log, "warn">;
    readonly columns: Columns;
  },
  known: Known | null,
  outcomes: readonly RecordOutcome[],
): Promise<ReadColumns> {
  const counts = await countColumns(outcomes);
  const loss = await findLoss(known?.events ?? [], outcomes, columns);
  if (loss !== null) {
    if (!await isAccepted(kv, loss, now())) throw refusal(loss);
    const what = { reason: lossInWords(loss) };
    log.warn("events: a read with a loss that an operator has accepted is used", what);
  }
  const { endDate, ...others } = known?.columns ?? {};
  // Who accepts that events are endless accepts that their column is empty.
  const before = loss?.endless || endDate === undefined ? others : { ...others, endDate };
  const lost = findLostColumns(before, counts, columns);
  const kept = Object.fromEntries(lost.map(({ field, of, had }) => [field, { of, had }]));
  return { counts: { ...counts, ...kept }, lost };
}

function refusal(loss: Loss): ReadError {
  const advice = "If the loss is intended, run: deno task events accept";
  const message = `${lossInWords(loss)}. ${remedyInWords(loss)}. ${advice}`;
  return new ReadError("loss", message, PAUSE_SECONDS, {}, loss);
}

async function countColumns(outcomes: readonly RecordOutcome[]): Promise<ColumnCounts> {
  const values: { [F in EventField]?: number } = {};
  let of = 0;
  await forEachInSlices(outcomes, ({ parsed, fields }) => {
    if (parsed === null) return;
    of++;
    for (const field of fields) values[field] = (values[field] ?? 0) + 1;
  });
  return Object.fromEntries(
    EVENT_FIELDS.map((field) => [field, { of, had: values[field] ?? 0 }]),
  );
}

/** The columns that most events had, of which more than half of the values are lost, so that most have none. */
function findLostColumns(
  before: ColumnCounts,
  counts: ColumnCounts,
  columns: Columns,
): LostColumn[] {
  return EVENT_FIELDS.flatMap((field) => {
    const { of, had } = before[field] ?? { of: 0, had: 0 };
    const now = counts[field] ?? { of: 0, had: 0 };
    const isLost = had >= FEW_VALUES && now.of > 0 && 2 * had > of && 2 * now.had < now.of &&
      2 * now.had * of < had * now.of;
    return isLost ? [{ field, column: columns[field], of, had }] : [];
  });
}

/** A lost column in words. */
export function lostColumnInWords({ column, had, of }: LostColumn): string {
  return `The column “${column}” is gone: ${grouped(had)} of ${
    grouped(of)
  } events had a value there; ` +
    "is it renamed?";
}

/** How an operator repairs the loss of a column, or ends its alarm. */
export const LOST_COLUMN_REMEDY =
  "The events are shown without it. Restore the column, or correct AIRTABLE_FIELDS; if the loss is intended, accept " +
  "it at /desk/events, or run: deno task events accept";

/** The loss of a read, if it is too much; null if it is not, or nothing was known before. */
async function findLoss(
  known: Known["events"],
  outcomes: readonly RecordOutcome[],
  columns: Columns,
): Promise<Loss | null> {
  /** The last day of each event of the read. */
  const present = new Map<string, string | null>();
  const spoilt: { readonly id: string; readonly columns: ReadonlySet<string> }[] = [];
  await forEachInSlices(outcomes, ({ parsed, problems }) => {
    if (parsed !== null) present.set(parsed.event.id, parsed.event.endDate);
    const hiding = problems.filter(({ leftOut }) => leftOut);
    const [first] = hiding;
    if (first === undefined) return;
    spoilt.push({ id: first.recordId, columns: new Set(hiding.map(({ field }) => field)) });
  });
  const byRecord = new Map(spoilt.map((record) => [record.id, record]));
  const lost = known.filter(({ id }) => !present.has(id));
  const ended = known.filter(({ id, endDate }) => endDate !== null && present.has(id));
  const endless = ended.filter(({ id }) => present.get(id) === null);
  // Before anything is known, a table whose records all lack a name or a first day is no empty one.
  const isUnusable = known.length === 0 && present.size === 0 && spoilt.length > 0;
  const isLost = isUnusable || isTooMuch(lost.length, known.length, present.size);
  // One event may be made endless in any table.
  const isEndless = endless.length > 1 &&
    isTooMuch(endless.length, ended.length, ended.length - endless.length);
  if (!isLost && !isEndless) return null;
  const leftOut = isUnusable ? spoilt : lost.flatMap(({ id }) => byRecord.get(id) ?? []);
  const hiding = leftOut.flatMap((record) => [...record.columns]);
  const emptied = isEndless ? endless.map(() => columns.endDate) : [];
  const byColumn = Map.groupBy([...hiding, ...emptied], (column) => column);
  const ways = [
    ...(isUnusable ? spoilt : lost).map(({ id }) =>
      `${id} ${byRecord.has(id) ? "left out" : "gone"}`
    ),
    ...(isEndless ? endless.map(({ id }) => `${id} endless`) : []),
  ];
  return {
    digest: digestOf(ways.toSorted(compare).join("\n")),
    known: known.length,
    gone: isUnusable ? 0 : lost.length - leftOut.length,
    leftOut: leftOut.length,
    endless: isEndless ? endless.length : 0,
    columns: [...byColumn].map(([column, { length }]) => ({ column, records: length }))
      .toSorted((a, b) => b.records - a.records),
    examples: [...lost, ...(isEndless ? endless : [])].slice(0, MAX_EXAMPLES)
      .map(({ id, name }) => ({ id, name: name.slice(0, MAX_NAME_LENGTH) })),
  };
}

/** The effect of a read on the events, in words that follow "would have". */
export function effectInWords({ known, gone, leftOut, endless }: Loss): string {
  if (known === 0) return `shown none of ${grouped(leftOut)} records`;
  const effects = [
    ...(gone + leftOut === 0 ? [] : [`lost ${grouped(gone + leftOut)}`]),
    ...(endless === 0 ? [] : [`made ${grouped(endless)} endless`]),
  ];
  return `${effects.join(" and ")} of ${grouped(known)} events`;
}

/** A loss and its causes in words. */
export function lossInWords(loss: Loss): string {
  const causes = [
    ...loss.columns.map(({ column, records }) =>
      `“${column}” is missing or invalid in ${grouped(records)} of them`
    ),
    ...(loss.gone === 0 ? [] : [`the records of ${grouped(loss.gone)} are gone`]),
  ];
  return `The last read would have ${effectInWords(loss)}: ${causes.join(", ")}`;
}

/** How an operator repairs an unintended loss. */
export function remedyInWords({ columns }: Loss): string {
  if (columns.length > 0) return "Restore or correct the column, or AIRTABLE_FIELDS";
  return "Restore the records, or check which table and view the settings name";
}
