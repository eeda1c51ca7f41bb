/** Dates in words. */

import type { Dated } from "./status.ts";

const days = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** "12–15 March 2026", "3 May 2026", and "from 3 May 2026" without an end. */
export function datesInWords({ startDate, endDate }: Dated): string {
  const start = new Date(`${startDate}T00:00:00Z`);
  if (endDate === null) return `from ${days.format(start)}`;
  return days.formatRange(start, new Date(`${endDate}T00:00:00Z`));
}
