/**
 * Days that people ask for in words, and what runs for months. Headings, filters, counts and subscriptions take them from
 * here. All days are those of the organisation's time zone, `YYYY-MM-DD`.
 */

import type { Dated } from "./values.ts";
import { dateAfter, weekdayNumber } from "./words.ts";

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
  const sunday = dateAfter(today, (7 - weekdayNumber(today)) % 7);
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
  // More days than a month has lead into the next one, whose number is how many were too many.
  const next = dateAfter(`${date.slice(0, 8)}01`, 31);
  return dateAfter(next, -Number(next.slice(8)));
}
