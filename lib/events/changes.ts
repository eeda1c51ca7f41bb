/** The changes since a time, for consumers that keep a copy of the events. */

import { dayAt, daysOf, isOn, statusOn } from "./days.ts";
import type { Filter } from "./filter.ts";
import { KEPT_MILLISECONDS, MAX_FORMER } from "./keeping/history.ts";
import type { KeptEvent, Snapshot } from "./keeping/snapshot.ts";
import { compare, MAX_SKEW_MILLISECONDS } from "./values.ts";

interface Changes {
  /** Whether an event is new, was changed, has returned or has another status, or a midnight may have chosen it. */
  readonly includes: (event: KeptEvent) => boolean;
  /**
   * The ids of all events that disappeared within the last 30 days; null if the history does not reach back to the
   * time. An event whose record is invalid has disappeared too: no list has it.
   */
  readonly gone: readonly string[] | null;
}

/**
 * Finds the changes. An isolate may have an older snapshot than the one that responded last, and its clock may
 * differ: each response goes back a little further than the request, so a copy that continues from its `generatedAt`
 * misses nothing.
 *
 * @param filter the filter of the copy.
 * @param since epoch milliseconds.
 * @param today `YYYY-MM-DD` in the time zone of the events.
 */
export function changesSince(
  { former, meta }: Snapshot,
  { periods }: Filter,
  since: number,
  today: string,
  timeZone: string,
): Changes {
  const from = since - MAX_SKEW_MILLISECONDS;
  const { date: before } = dayAt(from, timeZone);
  const isKnown = since >= meta.since && from > meta.readAt - KEPT_MILLISECONDS &&
    (former.length < MAX_FORMER || from > (former.at(-1)?.goneAt ?? 0));
  // The days that its periods had at some time since. A period moves forward only.
  const passed = before === today ? [] : periods.map((period) => (
    { from: daysOf(period, before).from, to: daysOf(period, today).to }
  ));
  return {
    includes: (event) =>
      Math.max(event.changedAt, event.returnedAt ?? 0) >= from ||
      statusOn(event, before) !== statusOn(event, today) ||
      passed.some((days) => isOn(event, days)),
    gone: isKnown ? former.map(({ id }) => id).toSorted(compare) : null,
  };
}
