/** How long until something, as a clock on the wall of a page says it. Runs in browsers. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** From here on days are told, below it hours. */
const IN_HOURS = 48 * HOUR;
/** For what is farther away, the page's own words ("in 3 months") are precise enough. */
const FARTHEST_DAYS = 60;

/**
 * "9 days", "31 hours", "12 minutes" from one instant to a later one, in epoch milliseconds; null where
 * months are meant. Days are those of the calendar of `timeZone`, as one counts sleeps.
 */
export function timeLeft(from: number, to: number, timeZone?: string): string | null {
  const left = to - from;
  if (left < 2 * HOUR) return inWords(Math.max(1, Math.ceil(left / MINUTE)), "minute");
  if (left < IN_HOURS) return inWords(Math.round(left / HOUR), "hour");
  // Dates beyond the year 9999 are written otherwise.
  if (left > (FARTHEST_DAYS + 1) * 24 * HOUR) return null;
  const days = dayNumber(to, timeZone) - dayNumber(from, timeZone);
  return days > FARTHEST_DAYS ? null : inWords(days, "day");
}

function inWords(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** The days since 1970 on the calendar of a zone; the browser's if none is named. */
function dayNumber(at: number, timeZone?: string): number {
  // Sweden writes dates as ISO 8601 does.
  const options = timeZone === undefined ? {} : { timeZone };
  const date = new Date(at).toLocaleDateString("sv", options);
  return Date.parse(`${date}T00:00:00Z`) / (24 * HOUR);
}
