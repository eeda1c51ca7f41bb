/** The time left until an event. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A time left of at least this is counted in days, a shorter one in hours. */
const IN_HOURS = 48 * HOUR;
/** For a later event, the server's words ("in 3 months") are precise enough. */
const FARTHEST_DAYS = 60;

/**
 * "9 days", "31 hours", "12 minutes" from one instant to a later one, in epoch milliseconds; null where
 * the time left is longer than 60 days. Days are those of the calendar of `timeZone`.
 */
export function timeLeft(from: number, to: number, timeZone?: string): string | null {
  const left = to - from;
  if (left < 2 * HOUR) return inWords(Math.max(1, Math.ceil(left / MINUTE)), "minute");
  if (left < IN_HOURS) return inWords(Math.round(left / HOUR), "hour");
  // Years beyond 9999 have another format.
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
