/** The status of an event on a day, and when days begin. */

import type { EventStatus } from "./values.ts";

/** A calendar day in the organisation's time zone, the day after it, and when the day ends. */
export interface Day {
  readonly date: string;
  readonly next: string;
  /** Epoch milliseconds. */
  readonly endsAt: number;
}

/** The days of an event that decide its status. */
export interface Dated {
  readonly startDate: string;
  readonly endDate: string | null;
}

/** The status of an event on a day (contract, section 3). Without an end it runs for ever. */
export function statusOn(event: Dated, date: string): EventStatus {
  if (date < event.startDate) return "upcoming";
  return event.endDate !== null && date > event.endDate ? "ended" : "ongoing";
}

/** Whether an event's status changes at the end of a day. */
export function changesAfter(event: Dated, day: Day): boolean {
  return event.endDate === day.date || event.startDate === day.next;
}

/** The day of an instant in an IANA zone. */
export function dayAt(epochMilliseconds: number, timeZone: string): Day {
  const date = Temporal.Instant.fromEpochMilliseconds(epochMilliseconds)
    .toZonedDateTimeISO(timeZone).toPlainDate();
  const next = date.add({ days: 1 });
  return {
    date: date.toString(),
    next: next.toString(),
    endsAt: next.toZonedDateTime(timeZone).epochMilliseconds,
  };
}
