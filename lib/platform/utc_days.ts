/** UTC days, `2026-11-21`, on which money is counted. */

import { DAY_MILLISECONDS } from "./time.ts";

/** The last day that was asked for, and its beginning: each request asks a few times. */
let last = { day: "", startsAt: NaN };

/** The UTC day of a moment (epoch milliseconds). */
export function dayOf(now: number): string {
  if (now >= last.startsAt && now < last.startsAt + DAY_MILLISECONDS) return last.day;
  const day = new Date(now).toISOString().slice(0, 10);
  last = { day, startsAt: Date.parse(day) };
  return day;
}

/** Epoch milliseconds at which a day ends. */
export function endOfDay(day: string): number {
  return Date.parse(day) + DAY_MILLISECONDS;
}

/** The day that is `count` days before another. */
export function dayBefore(day: string, count: number): string {
  return dayOf(Date.parse(day) - count * DAY_MILLISECONDS);
}

/** The last `count` days up to and including `day`, the latest first. */
export function daysUntil(day: string, count: number): string[] {
  return Array.from({ length: count }, (_, ago) => dayBefore(day, ago));
}
