/**
 * Failed reads of the record store. The last one is stored for all isolates, the status page and the operator's
 * commands, until a read succeeds.
 *
 * A read that loses most of the events at once fails too: a column was renamed, a view filters, a setting names
 * another table. Consumers that mirror the events would delete them. It fails until an operator accepts exactly that
 * loss; the rule is in `static/docs/operate.md`.
 */

import { type Columns, EVENT_FIELDS, type EventField } from "../columns.ts";
import { digestOf } from "../digest.ts";
import { beginAtomic, getEntry, type Lease, retryLocked } from "../kv/mod.ts";
import type { RecordOutcome, StoreRecord } from "./record.ts";
import { ReadError, type ReadFault } from "./store.ts";
import { compare } from "./values.ts";

/** The events that one read would lose. */
export interface Loss {
  /** Digest of the lost events and their causes: equal for reads with the same loss. */
  readonly digest: string;
  /** How many events the last good read had. */
  readonly known: number;
  /** How many of them have no record any more, and how many have an invalid record. */
  readonly gone: number;
  readonly leftOut: number;
  /** Required columns in which no record has a value; `isGone` if the store has no such column. */
  readonly emptyColumns: readonly { readonly column: string; readonly isGone: boolean }[];
  /** The columns of the invalid records, the most frequent first. */
  readonly columns: readonly { readonly column: string; readonly records: number }[];
  /** Some of the lost events. */
  readonly examples: readonly { readonly id: string; readonly name: string }[];
}

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
export function findLoss(
  known: readonly { readonly id: string; readonly name: string }[],
  outcomes: readonly RecordOutcome[],
  emptyColumns: readonly string[],
): Loss | null {
  const present = new Set(outcomes.flatMap(({ parsed }) => parsed === null ? [] : parsed.event.id));
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

/** The fields for which a record has a value. */
export function filledFields(
  records: readonly StoreRecord[],
  columns: Columns,
): ReadonlySet<EventField> {
  return new Set(
    EVENT_FIELDS.filter((field) => records.some(({ fields }) => hasValue(fields[columns[field]]))),
  );
}

/** The required columns in which no record has a value, though there are records. */
export function emptyRequiredColumns(
  records: readonly StoreRecord[],
  columns: Columns,
  filled: ReadonlySet<EventField>,
): readonly string[] {
  if (records.length === 0) return [];
  return REQUIRED_FIELDS.filter((field) => !filled.has(field)).map((field) => columns[field]);
}

function hasValue(value: unknown): boolean {
  if (typeof value === "string") return value.trim() !== "";
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
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

/** A loss that was refused, and until when an operator accepts it (epoch milliseconds; null: not accepted). */
export interface RefusedLoss extends Loss {
  readonly acceptedUntil: number | null;
}

/** Why the store cannot be read; times are epoch milliseconds. */
export interface ReadFailure {
  /** When the last read failed, and when the first one failed since a success. */
  readonly at: number;
  readonly since: number;
  readonly fault: ReadFault;
  /** For the operator. It contains no credentials, but may name columns. */
  readonly reason: string;
  /** The last refused loss, even if the store has failed differently since; null if there is none. */
  readonly loss: RefusedLoss | null;
}

/** How long an acceptance holds. */
const ACCEPTED_MILLISECONDS = 3_600_000;
const MAX_REASON_LENGTH = 1_000;

const failureKey: Deno.KvKey = ["events", "failure"];
/** The key of the pause in which no isolate reads the store (`lib/kv/shared_copy.ts`). */
export const pauseKey: Deno.KvKey = ["events", "pause"];

/** A stored failure: versions that do not know the fault `quota` find a fault that they know. */
type StoredFailure = Omit<ReadFailure, "fault"> & {
  readonly fault: Exclude<ReadFault, "quota">;
  readonly isQuota?: boolean;
};

/** The last failed read; null if a read has succeeded since. */
export async function readFailure(kv: Deno.Kv): Promise<ReadFailure | null> {
  const { value } = await getEntry<StoredFailure>(kv, failureKey);
  if (value === null) return null;
  const { isQuota = false, ...failure } = value;
  return isQuota ? { ...failure, fault: "quota" } : failure;
}

/** Removes the failure in the commit of a successful read. */
export function clearFailure(operation: Deno.AtomicOperation): Deno.AtomicOperation {
  return operation.delete(failureKey);
}

/** Stores a failed read, unless its lease is lost. */
export async function recordFailure(
  kv: Deno.Kv,
  { guard }: Pick<Lease, "guard">,
  failure: Omit<ReadFailure, "since" | "loss"> & { readonly loss: Loss | null },
): Promise<void> {
  const entry = await getEntry<StoredFailure>(kv, failureKey);
  const before = entry.value;
  const { fault } = failure;
  const isSameLoss = before?.loss?.digest === failure.loss?.digest;
  const value: StoredFailure = {
    ...failure,
    fault: fault === "quota" ? "rate_limited" : fault,
    isQuota: fault === "quota",
    reason: failure.reason.slice(0, MAX_REASON_LENGTH),
    since: before?.since ?? failure.at,
    loss: failure.loss === null
      ? before?.loss ?? null
      : { ...failure.loss, acceptedUntil: isSameLoss ? before?.loss?.acceptedUntil ?? null : null },
  };
  // If an operator accepts a loss at this moment, this commit fails, and the next read finds the acceptance.
  const operation = guard(beginAtomic(kv)).check(entry).set(failureKey, value);
  await retryLocked(() => operation.commit());
}

/** Whether an operator has accepted exactly this loss. */
export async function isAccepted(kv: Deno.Kv, { digest }: Loss, now: number): Promise<boolean> {
  const loss = (await readFailure(kv))?.loss ?? null;
  if (loss === null || loss.digest !== digest || loss.acceptedUntil === null) return false;
  return now < loss.acceptedUntil && loss.acceptedUntil <= now + 2 * ACCEPTED_MILLISECONDS;
}

/**
 * Accepts the refused loss, and no other, for an hour: the next read with that loss succeeds. Ends the pause, so
 * that this read may begin at once.
 *
 * @param now epoch milliseconds.
 * @returns the loss; null if none was refused.
 */
export async function acceptLoss(kv: Deno.Kv, now: number): Promise<RefusedLoss | null> {
  while (true) {
    const entry = await getEntry<StoredFailure>(kv, failureKey);
    if (entry.value === null || entry.value.loss === null) return null;
    const loss = { ...entry.value.loss, acceptedUntil: now + ACCEPTED_MILLISECONDS };
    const operation = beginAtomic(kv).check(entry)
      .set(failureKey, { ...entry.value, loss } satisfies StoredFailure)
      .delete(pauseKey);
    if ((await retryLocked(() => operation.commit())).ok) return loss;
  }
}
