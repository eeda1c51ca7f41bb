/** When and where an event is, in words. */

import type { Event } from "../../lib/events/model.ts";

const days = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** One line of facts: the dates, and the place or "online". */
export function EventFacts({ event }: { event: Event }) {
  const place = event.format === "online" ? "online" : event.inPerson?.location;
  return (
    <p class="facts">
      <time dateTime={event.startDate}>{datesInWords(event)}</time>
      {place ? ` · ${place}` : ""}
    </p>
  );
}

/** "12–15 March 2026", "from 3 May 2026". */
export function datesInWords({ startDate, endDate }: Pick<Event, "startDate" | "endDate">): string {
  const start = new Date(`${startDate}T00:00:00Z`);
  if (endDate === null) return `from ${days.format(start)}`;
  return days.formatRange(start, new Date(`${endDate}T00:00:00Z`));
}
