/** Units of time, and dates on calendars. */

export const HOUR_MILLISECONDS = 3_600_000;
/** A day without a change of the clock. */
export const DAY_MILLISECONDS = 86_400_000;

/** An instant (epoch milliseconds) to the minute: `2026-11-21 12:00 UTC`. */
export function formatMinute(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** The calendar day of an instant in an IANA zone, as `YYYY-MM-DD`; for browsers that lack `Temporal`. */
export function dateIn(epochMilliseconds: number, timeZone: string): string {
  // Sweden writes dates as ISO 8601 does.
  return new Date(epochMilliseconds).toLocaleDateString("sv", { timeZone });
}
