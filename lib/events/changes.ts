/**
 * The changes of the events since a time, for consumers that keep a copy of them. An isolate may have an older
 * snapshot than the one that responded last, and its clock may differ: each response goes back a little further than
 * the request, so a copy that continues from its `generatedAt` misses nothing.
 */

import { memoize } from "../memoize.ts";
import { KEPT_MILLISECONDS, MAX_FORMER } from "./history.ts";
import type { IndexedEvent, Snapshot } from "./snapshot.ts";
import { compare, dayAt, MAX_SKEW_MILLISECONDS, statusOn } from "./values.ts";

/** The changes since a time. */
interface Changes {
  /** Equal for all times since which the changes are the same, so that they share a response. */
  readonly key: string;
  /** Whether an event is new, was changed, has returned or has another status. */
  readonly includes: (event: IndexedEvent) => boolean;
  /**
   * The ids of all events that disappeared within the last 30 days; null if the history does not reach back to the
   * time. An event whose record is invalid has disappeared too: no list has it.
   */
  readonly gone: readonly string[] | null;
}

/**
 * Finds the changes since a time.
 *
 * @param since epoch milliseconds.
 * @param today `YYYY-MM-DD` in the time zone of the events.
 */
export function changesSince(
  { events, former, meta }: Snapshot,
  since: number,
  today: string,
  timeZone: string,
): Changes {
  const from = since - MAX_SKEW_MILLISECONDS;
  const { date: before } = dayAt(from, timeZone);
  const times = timesOf(events);
  const older = times.findIndex((time) => time < from);
  const isKnown = since >= (meta.historySince ?? Infinity) &&
    from > meta.readAt - KEPT_MILLISECONDS &&
    (former.length < MAX_FORMER || from > (former.at(-1)?.goneAt ?? 0));
  return {
    key: `${older === -1 ? times.length : older} ${before} ${isKnown}`,
    includes: (event) =>
      timeOf(event) >= from || statusOn(event, before) !== statusOn(event, today),
    gone: isKnown ? former.map(({ id }) => id).toSorted(compare) : null,
  };
}

/** When each event last changed or returned, the latest first. */
const timesOf = memoize((events: readonly IndexedEvent[]) =>
  events.map(timeOf).toSorted((a, b) => b - a)
);

function timeOf({ changedAt, returnedAt = 0 }: IndexedEvent): number {
  return Math.max(changedAt, returnedAt);
}
