/**
 * What has happened to the events since a time, for consumers that keep a copy of them. An isolate may have an older
 * snapshot than the one that answered last, and its clock may differ: each answer goes back a little further than was
 * asked, and a copy that begins again at its `generatedAt` misses nothing.
 */

import { keptBy } from "../kept_by.ts";
import { KEPT_MILLISECONDS, MAX_FORMER } from "./history.ts";
import type { IndexedEvent, Snapshot } from "./snapshot.ts";
import { compare, dayAt, MAX_SKEW_MILLISECONDS, statusOn } from "./values.ts";

/** What has happened since a time. */
interface Changes {
  /** Equal for all times since which the same has happened, so that their responses are one. */
  readonly key: string;
  /** Whether an event is new, was changed, has returned or has another status. */
  readonly includes: (event: IndexedEvent) => boolean;
  /**
   * The ids of all events that are gone since at most 30 days; null if the history does not reach back to the time. An
   * event whose record is invalid is gone too: no list has it.
   */
  readonly gone: readonly string[] | null;
}

/**
 * Finds what has happened.
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
const timesOf = keptBy((events: readonly IndexedEvent[]) =>
  events.map(timeOf).toSorted((a, b) => b - a)
);

function timeOf({ changedAt, returnedAt = 0 }: IndexedEvent): number {
  return Math.max(changedAt, returnedAt);
}
