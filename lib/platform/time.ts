/** Units of time, and dates on calendars. */

import { grouped } from "./text.ts";

export const HOUR_MILLISECONDS = 3_600_000;
/** A day without a change of the clock. */
export const DAY_MILLISECONDS = 86_400_000;

/** An instant (epoch milliseconds) to the minute: `2026-11-21 12:00 UTC`. */
export function formatMinute(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** A duration in words, rounded down: "less than a minute", "3 minutes", "2 days". */
export function durationInWords(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return "less than a minute";
  if (minutes < 120) return minutes === 1 ? "a minute" : `${minutes} minutes`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${grouped(Math.floor(hours / 24))} days`;
}

/**
 * An instant as people write it: `21 Nov, 12:00`, with the year unless it is that of `now`. Without a zone it is in
 * that of the browser.
 */
export function momentInWords(at: Date, now: Date, timeZone?: string): string {
  return at.toLocaleString("en-GB", {
    day: "numeric",
    month: "short",
    ...at.getUTCFullYear() !== now.getUTCFullYear() && { year: "numeric" },
    hour: "2-digit",
    minute: "2-digit",
    ...timeZone && { timeZone },
  });
}
