/**
 * The guard against losses. A read that would lose most of the events at once fails: a column was renamed, a view
 * filters, a setting names another table. Consumers that mirror the events would delete them. It fails until an
 * operator accepts exactly that loss; the rule is in `static/docs/operate.md`.
 */

import { type Columns, EVENT_FIELDS, fieldAt } from "../platform/columns.ts";
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

/**
 * Lets a read pass that loses little, or what an operator has accepted.
 *
 * @param known the events of the last good read.
 * @throws {ReadError} `loss` for any other.
 */
export async function refuseLoss(
  { kv, now, log }: {
    readonly kv: Deno.Kv;
    readonly now: () => number;
    readonly log: Pick<Log, "warn">;
  },
  known: readonly { readonly id: string; readonly name: string }[],
  outcomes: readonly RecordOutcome[],
): Promise<void> {
  const loss = await findLoss(known, outcomes);
  if (loss === null) return;
  if (!await isAccepted(kv, loss, now())) throw new LossError(loss);
  const what = { reason: lossInWords(loss) };
  log.warn("events: a read with a loss that an operator has accepted is used", what);
}

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
  return `The last read would have lost ${whole(gone + leftOut)} of ${whole(known)} events: ${
    causes.join(", ")
  }`;
}

/** How an operator repairs an unintended loss. */
export function remedyInWords({ columns }: Loss): string {
  if (columns.length > 0) return "Restore or correct the column, or AIRTABLE_FIELDS";
  return "Restore the records, or check which table and view the settings name";
}

/** The columns in which no event has a value: unused ones, and one that was renamed in the store. */
export function emptyColumns(events: readonly object[], columns: Columns): string[] {
  return EVENT_FIELDS.filter((field) =>
    events.every((event) => {
      const value = fieldAt(event, field) ?? false;
      return value === false || value === "" || Array.isArray(value) && value.length === 0;
    })
  ).map((field) => columns[field]);
}
