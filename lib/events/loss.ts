/**
 * The guard against losses. A read that would lose most of the events at once fails: a required column was renamed, a
 * view filters, a setting names another table. Consumers that mirror the events would delete them. It fails until an
 * operator accepts exactly that loss. The loss of another column costs the column: the events are served without it, and
 * the operator is told until it is back or the loss is accepted. The rules are in `static/docs/operate.md`.
 */

import { type Columns, EVENT_FIELDS, type EventField } from "../platform/columns.ts";
import { digestOf } from "../platform/digest.ts";
import type { Log } from "../platform/log.ts";
import { forEachInSlices } from "../platform/timeout.ts";
import type { RecordOutcome } from "./record.ts";
import { isAccepted, type Loss, ReadError } from "./store.ts";
import { compare } from "./values.ts";

/** In a table with fewer known events, a read may lose any of them as long as it finds an event. */
const SMALL_TABLE = 10;
const MAX_EXAMPLES = 10;
const MAX_NAME_LENGTH = 100;
/**
 * The pause after a refused loss, as long as after other refusals: a read of a large table takes many calls, and the
 * store counts each.
 */
const PAUSE_SECONDS = 30;

/** A read that was refused because of its loss. */
class LossError extends ReadError {
  constructor(override readonly loss: Loss) {
    const advice = "If the loss is intended, run: deno task events accept";
    super("loss", `${lossInWords(loss)}. ${remedyInWords(loss)}. ${advice}`, PAUSE_SECONDS);
  }
}

/** Whether a read loses more than half of the known events; in a small table, whether it finds no event. */
function isTooMuch(lost: number, known: number, found: number): boolean {
  if (known < SMALL_TABLE) return known > 0 && found === 0;
  return lost > known / 2;
}

/** How many events a read found, and how many of them had a value in each field. */
export interface ColumnCounts {
  readonly events: number;
  readonly values: { readonly [F in EventField]?: number };
}

/** A column in which most events had a value, and most now have none: renamed, emptied, or of another kind. */
export interface LostColumn {
  readonly field: EventField;
  readonly column: string;
  /** Of so many events of the last read that had the column, so many had a value. */
  readonly of: number;
  readonly had: number;
}

/** What is kept of a read's columns. */
export interface ReadColumns {
  /** The counts of the last read that lost no column, with which the next one is compared. */
  readonly counts: ColumnCounts;
  readonly lost: readonly LostColumn[];
}

/** What the last reads knew. */
interface Known {
  readonly events: readonly { readonly id: string; readonly name: string }[];
  /** Absent before the first read, and after an operator has accepted the loss of a column. */
  readonly columns?: ColumnCounts;
}

/**
 * Lets a read pass that loses no column but optional ones, and few events, or what an operator has accepted.
 *
 * @param known what the last good read had; null before the first.
 * @throws {ReadError} `loss` for any other.
 */
export async function judgeRead(
  { kv, now, log, columns }: {
    readonly kv: Deno.Kv;
    readonly now: () => number;
    readonly log: Pick<Log, "warn">;
    readonly columns: Columns;
  },
  known: Known | null,
  outcomes: readonly RecordOutcome[],
): Promise<ReadColumns> {
  const counts = await countColumns(outcomes);
  const lost = findLostColumns(known?.columns, counts, columns);
  const loss = await findLoss(known?.events ?? [], outcomes) ?? endlessLoss(known, lost);
  if (loss === null) return { counts: lost.length === 0 ? counts : known?.columns ?? counts, lost };
  if (!await isAccepted(kv, loss, now())) throw new LossError(loss);
  const what = { reason: lossInWords(loss) };
  log.warn("events: a read with a loss that an operator has accepted is used", what);
  return { counts, lost: [] };
}

async function countColumns(outcomes: readonly RecordOutcome[]): Promise<ColumnCounts> {
  const values: { [F in EventField]?: number } = {};
  let events = 0;
  await forEachInSlices(outcomes, ({ parsed, fields }) => {
    if (parsed === null) return;
    events++;
    for (const field of fields) values[field] = (values[field] ?? 0) + 1;
  });
  return { events, values };
}

/** The columns that most events had, of which more than half of the values are lost, so that most have none. */
function findLostColumns(
  before: ColumnCounts | undefined,
  { events, values }: ColumnCounts,
  columns: Columns,
): LostColumn[] {
  if (before === undefined || before.events < SMALL_TABLE || events === 0) return [];
  return EVENT_FIELDS.flatMap((field) => {
    const [had, has] = [before.values[field] ?? 0, values[field] ?? 0];
    const isLost = 2 * had > before.events && 2 * has < events &&
      2 * has * before.events < had * events;
    return isLost ? [{ field, column: columns[field], of: before.events, had }] : [];
  });
}

/** Without their last days, events would run for ever: this loss is refused like that of the events. */
function endlessLoss(known: Known | null, lost: readonly LostColumn[]): Loss | null {
  const column = lost.find(({ field }) => field === "endDate");
  if (known === null || column === undefined) return null;
  return {
    digest: digestOf(`${column.column} ${column.had}`),
    known: known.events.length,
    ...{ gone: 0, leftOut: 0 },
    columns: [{ column: column.column, records: column.had }],
    examples: [],
  };
}

/** A lost column in words. */
export function lostColumnInWords({ column, had, of }: LostColumn): string {
  const whole = (count: number) => count.toLocaleString("en");
  return `The column “${column}” is gone: ${whole(had)} of ${
    whole(of)
  } events had a value there; ` +
    "is it renamed?";
}

/** How an operator repairs the loss of a column, or ends its alarm. */
export const LOST_COLUMN_REMEDY =
  "The events are shown without it. Restore the column, or correct AIRTABLE_FIELDS; if the loss is intended, accept " +
  "it at /desk/events, or run: deno task events accept";

/** The loss of a read, if it is too much; null if it is not, or nothing was known before. */
async function findLoss(
  known: readonly { readonly id: string; readonly name: string }[],
  outcomes: readonly RecordOutcome[],
): Promise<Loss | null> {
  const present = new Set<string>();
  await forEachInSlices(outcomes, ({ parsed }) => {
    if (parsed !== null) present.add(parsed.event.id);
  });
  const lost = known.filter(({ id }) => !present.has(id));
  const spoilt = outcomes.flatMap(({ problems }) => problems.filter(({ leftOut }) => leftOut));
  const byRecord = Map.groupBy(spoilt, ({ recordId }) => recordId);
  // Before anything is known, a table whose records all lack a name or a first day is no empty one.
  const isUnusable = known.length === 0 && present.size === 0 && byRecord.size > 0;
  if (!isUnusable && !isTooMuch(lost.length, known.length, present.size)) return null;
  const leftOut = isUnusable
    ? [...byRecord.keys()].map((id) => ({ id, name: "" }))
    : lost.filter(({ id }) => byRecord.has(id));
  const byColumn = Map.groupBy(
    leftOut.flatMap(({ id }) => [...new Set(byRecord.get(id)?.map(({ field }) => field))]),
    (column) => column,
  );
  const ways = (isUnusable ? leftOut : lost)
    .map(({ id }) => `${id} ${byRecord.has(id) ? "left out" : "gone"}`);
  return {
    digest: digestOf(ways.toSorted(compare).join("\n")),
    known: known.length,
    gone: isUnusable ? 0 : lost.length - leftOut.length,
    leftOut: leftOut.length,
    columns: [...byColumn].map(([column, { length }]) => ({ column, records: length }))
      .toSorted((a, b) => b.records - a.records),
    examples: lost.slice(0, MAX_EXAMPLES)
      .map(({ id, name }) => ({ id, name: name.slice(0, MAX_NAME_LENGTH) })),
  };
}

/** A loss and its causes in words. */
export function lossInWords({ known, gone, leftOut, columns }: Loss): string {
  const whole = (count: number) => count.toLocaleString("en");
  const causes = [
    ...columns.map(({ column, records }) =>
      `“${column}” is missing or invalid in ${whole(records)} of them`
    ),
    ...(gone === 0 ? [] : [`the records of ${whole(gone)} are gone`]),
  ];
  if (known === 0) return `None of ${whole(leftOut)} records became an event: ${causes.join(", ")}`;
  if (gone + leftOut === 0) {
    return `The last read would have made events endless: ${
      columns.map(({ column, records }) =>
        `the column “${column}” is gone, in which ${whole(records)} of ${
          whole(known)
        } events had a day`
      ).join(", ")
    }`;
  }
  return `The last read would have lost ${whole(gone + leftOut)} of ${whole(known)} events: ${
    causes.join(", ")
  }`;
}

/** How an operator repairs an unintended loss. */
export function remedyInWords({ columns }: Loss): string {
  if (columns.length > 0) return "Restore or correct the column, or AIRTABLE_FIELDS";
  return "Restore the records, or check which table and view the settings name";
}
