/** The other events that an event's page leads to. */

import type { Event } from "../model.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";

/** Some other events, and the property that they share with the page's event. */
export interface Others {
  readonly title: string;
  readonly events: readonly Event[];
}

/** A group leads to no more events. */
const MAX_OTHERS = 3;
/** A longer event takes place in too many weeks to belong to one of them. */
const MAX_DAYS = 31;

/**
 * The events in the same week, from Monday to Sunday, and those at the same place; the nearest events if there are
 * none of either. An event that has ended is named only beside another one that has. The week of an ongoing event is
 * the current one; the week of any other event is that of its first day.
 *
 * @param events every event, ordered by first day.
 * @param today `YYYY-MM-DD`.
 */
export function othersOf(
  events: readonly Event[],
  event: Event,
  today: string,
): readonly Others[] {
  const rest = events.filter(({ id, status }) =>
    id !== event.id && (status !== "ended" || event.status === "ended")
  );
  const day = dayNumber(event.status === "ongoing" ? today : event.startDate);
  const distance = ({ startDate }: Event) => Math.abs(dayNumber(startDate) - day);
  const nearest = (some: readonly Event[]) =>
    some.toSorted((a, b) => distance(a) - distance(b)).slice(0, MAX_OTHERS)
      .toSorted((a, b) => dayNumber(a.startDate) - dayNumber(b.startDate));
  // 1970 began on a Thursday.
  const monday = day - (day + 3) % 7;
  const sameWeek = nearest(rest.filter((other) => {
    const [first, last] = daysOf(other);
    return first <= monday + 6 && last >= monday && last - first < MAX_DAYS;
  }));
  const place = event.inPerson?.location ?? null;
  const samePlace = nearest(
    rest.filter((other) =>
      place !== null && other.inPerson?.location === place && !sameWeek.includes(other)
    ),
  );
  const groups: readonly Others[] = [
    {
      title: event.status === "ongoing" ? "Also on this week" : "In the same week",
      events: sameWeek,
    },
    { title: "At the same place", events: samePlace },
  ].filter(({ events }) => events.length > 0);
  return groups.length > 0 || rest.length === 0
    ? groups
    : [{ title: "Around the same time", events: nearest(rest) }];
}

function daysOf({ startDate, endDate }: Event): readonly [first: number, last: number] {
  return [dayNumber(startDate), endDate === null ? Infinity : dayNumber(endDate)];
}

/** The days since 1970. */
function dayNumber(date: string): number {
  return Date.parse(date) / DAY_MILLISECONDS;
}
