/**
 * Days: those of events, which decide their status, the arithmetic of days, and the periods that people ask for in
 * words. Headings, filters, counts and subscriptions take them from here. A day is one of the organisation's time zone,
 * `YYYY-MM-DD`.
 */

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

/** The status of an event on a day. Without an end it runs for ever. */
export function statusOn(event: Dated, date: string): EventStatus {
  if (date < event.startDate) return "upcoming";
  return event.endDate !== null && date > event.endDate ? "ended" : "ongoing";
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

/** The days on which people meet, if the record has them and they are not the event's own. */
export function meetingDays(
  { inPerson, startDate, endDate }: Dated & {
    readonly inPerson: { readonly start: string | null; readonly end: string | null } | null;
  },
): Dated | null {
  if (inPerson === null || inPerson.start === null) return null;
  const { start, end } = inPerson;
  // An empty last day means the event's own.
  if (start === startDate && (end === null || end === endDate)) return null;
  return { startDate: start, endDate: end };
}

/** The day that is so many days after another: `YYYY-MM-DD`. */
export function dateAfter(date: string, days: number): string {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/** The weekday of a date, from 1 for Monday to 7. */
export function weekdayNumber(date: string): number {
  return Temporal.PlainDate.from(date).dayOfWeek;
}

/** How many days after another day a day is. */
export function daysBetween(from: string, to: string): number {
  return Temporal.PlainDate.from(from).until(to).days;
}

/** The last day of an event, or the first if it has no end. */
export function lastDay({ startDate, endDate }: Dated): string {
  return endDate ?? startDate;
}

/** The periods that have a name, the shorter ones first. */
export const PERIODS = [
  "today",
  "this-weekend",
  "this-week",
  "next-week",
  "this-month",
  "next-month",
] as const;
/** One of {@linkcode PERIODS}. */
export type Period = typeof PERIODS[number];

/** The first and the last of some days. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** An event of so many days, or without an end, runs for months. */
const LONG_DAYS = 60;

/**
 * The days of a period that are left: nobody asks on a Thursday what was on this Monday. A week ends on its Sunday, and a
 * weekend is Saturday and Sunday.
 */
export function daysOf(period: Period, today: string): Days {
  const sunday = dateAfter(today, 7 - weekdayNumber(today));
  switch (period) {
    case "today":
      return { from: today, to: today };
    case "this-weekend":
      return { from: later(today, dateAfter(sunday, -1)), to: sunday };
    case "this-week":
      return { from: today, to: sunday };
    case "next-week":
      return { from: dateAfter(sunday, 1), to: dateAfter(sunday, 7) };
    case "this-month":
      return { from: today, to: lastOfMonth(today) };
    case "next-month": {
      const first = dateAfter(lastOfMonth(today), 1);
      return { from: first, to: lastOfMonth(first) };
    }
  }
}

/** From the first day of some periods, at least one, to the last. */
export function daysOfAll(periods: readonly Period[], today: string): Days {
  const all = periods.map((period) => daysOf(period, today));
  return {
    from: all.map(({ from }) => from).reduce(earlier),
    to: all.map(({ to }) => to).reduce(later),
  };
}

/** Whether an event is on at one of some days. */
export function isOn({ startDate, endDate }: Dated, { from, to }: Days): boolean {
  return startDate <= to && (endDate === null || endDate >= from);
}

/**
 * Whether an event runs for months, and neither begins nor ends on some days. It is on at these days as at all others, so
 * it is counted apart.
 */
export function runsThrough({ startDate, endDate }: Dated, { from, to }: Days): boolean {
  if (startDate >= from) return false;
  return endDate === null || (endDate > to && endDate >= dateAfter(startDate, LONG_DAYS - 1));
}

/** The later of two days. */
export function later(one: string, other: string): string {
  return one > other ? one : other;
}

/** The earlier of two days. */
export function earlier(one: string, other: string): string {
  return one < other ? one : other;
}

function lastOfMonth(date: string): string {
  const day = Temporal.PlainDate.from(date);
  return day.with({ day: day.daysInMonth }).toString();
}
