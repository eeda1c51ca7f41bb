/** The other events that an event's page leads to. */

import type { Event } from "../model.ts";
import { compare } from "../values.ts";
import { daysBetween } from "../days.ts";

/** The heading above them. */
export const OTHERS = "Around the same time";
const MAX_OTHERS = 3;

/**
 * The events that begin nearest to the first day of an event, or to today while it is on. An event that has ended is
 * named only beside another one that has.
 *
 * @param events every event, ordered by first day; so are the ones that are returned.
 * @param today `YYYY-MM-DD`.
 */
export function othersOf(
  events: readonly Event[],
  event: Event,
  today: string,
): readonly Event[] {
  const day = event.status === "ongoing" ? today : event.startDate;
  const others = events
    .filter(({ id, status }) =>
      id !== event.id && (status !== "ended" || event.status === "ended")
    );
  const at = others.filter(({ startDate }) => startDate < day).length;
  const distance = ({ startDate }: Event) => Math.abs(daysBetween(day, startDate));
  return others.slice(Math.max(0, at - MAX_OTHERS), at + MAX_OTHERS)
    .toSorted((a, b) => distance(a) - distance(b)).slice(0, MAX_OTHERS)
    .toSorted((a, b) => compare(a.startDate, b.startDate));
}
