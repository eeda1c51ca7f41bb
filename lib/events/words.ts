/** The words about an event: when, where and in which format. */

import type { StoredEvent } from "./model.ts";
import { type Dated, daysBetween, meetingDays, weekdayNumber } from "./days.ts";
import type { EventFormat } from "./values.ts";

/** The names of the months, from January on. */
export const MONTHS =
  "January February March April May June July August September October November December"
    .split(" ");
const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/** "12–15 March 2026", "3 May 2026", and "from 3 May 2026" without an end. */
export function datesInWords({ startDate, endDate }: Dated): string {
  if (endDate === null) return `from ${dateInWords(startDate)}`;
  return rangeInWords(startDate, endDate);
}

/** The days of a part of an event: "9–15 August", with the years only where they differ from the event's. */
export function partInWords(part: Dated, { startDate, endDate }: Dated): string {
  const last = endDate ?? startDate;
  const isKnown = isSameYear(startDate, last) && isSameYear(part.startDate, last) &&
    isSameYear(part.endDate ?? last, last);
  if (!isKnown) return datesInWords(part);
  return part.endDate === null
    ? `from ${dayOfYear(part.startDate)}`
    : rangeInWords(part.startDate, part.endDate, dayOfYear);
}

/** The time of an event, as people would say it on a given day: "12–15 March", "since May", "until Sunday". */
export function whenInWords(event: Dated, today: string): string {
  const { startDate, endDate } = event;
  if (today < startDate) return endDate === null ? `from ${dayInWords(startDate, today)}` : range();
  if (endDate === null) {
    return startDate === today ? "from today" : `since ${monthOf(startDate, today)}`;
  }
  if (endDate < today) return range();
  if (startDate === endDate) return "today";
  return `${startDate === today ? "today " : ""}until ${dayInWords(endDate, today)}`;

  function range(): string {
    const [from, to] = [startDate, endDate ?? startDate];
    const isThisYear = isSameYear(from, today) && isSameYear(to, today);
    if (from.slice(0, 7) !== to.slice(0, 7)) return acrossMonths(from, to, isThisYear);
    return rangeInWords(from, to, isThisYear ? dayOfYear : dateInWords);
  }
}

/** "12–15 March", "30 November – 1 December": what both days have in common is written once, with the second. */
function rangeInWords(from: string, to: string, inWords = dateInWords): string {
  if (from === to) return inWords(to);
  if (from.slice(0, 7) === to.slice(0, 7)) return `${dayOf(from)}–${inWords(to)}`;
  return `${isSameYear(from, to) ? dayOfYear(from) : inWords(from)} – ${inWords(to)}`;
}

/** "30 Nov – 2 Dec", "30 Nov – 2 Dec 2027": two months fit on the line of a card in short. */
function acrossMonths(from: string, to: string, isThisYear: boolean): string {
  const inShort = (date: string) => `${dayOf(date)} ${leafOf(date).month}`;
  const year = (date: string) => ` ${date.slice(0, 4)}`;
  const first = inShort(from) + (isSameYear(from, to) ? "" : year(from));
  return `${first} – ${inShort(to)}${isThisYear ? "" : year(to)}`;
}

/** The day that `whenInWords` names: the last day of an event that has begun, else the first. */
export function dayOfWhen({ startDate, endDate }: Dated, today: string): string {
  return endDate !== null && startDate < today && today <= endDate ? endDate : startDate;
}

/** How far an event is from a day: "now", "tomorrow", "in 12 days", "was in June". */
export function stateInWords(event: Dated, today: string): string {
  const { startDate, endDate } = event;
  if (today < startDate) {
    const ahead = daysBetween(today, startDate);
    if (ahead === 1) return "tomorrow";
    if (ahead <= 60) return `in ${ahead} days`;
    const months = Math.round(ahead / 30.44);
    return months < 24 ? `in ${months} months` : `in ${Math.round(months / 12)} years`;
  }
  if (endDate === null || today <= endDate) return "now";
  const ago = daysBetween(endDate, today);
  if (ago === 1) return "was yesterday";
  if (ago <= 13) return `was ${ago} days ago`;
  return `was in ${monthOf(endDate, today)}`;
}

/** A day, as people would say it on another day: "today", "tomorrow", "Sunday", "3 May", "3 May 2027". */
function dayInWords(date: string, today: string): string {
  const ahead = daysBetween(today, date);
  if (ahead === 0) return "today";
  if (ahead === 1) return "tomorrow";
  if (ahead > 0 && ahead < 7) return weekdayOf(date);
  return (isSameYear(date, today) ? dayOfYear : dateInWords)(date);
}

/** "December 2026" for `2026-12`. */
export function monthInWords(month: string): string {
  return `${nameOfMonth(month)} ${month.slice(0, 4)}`;
}

/** "2026" for a year, "December 2026" for a month. */
export function yearInWords(year: string): string {
  return year.length === 4 ? year : monthInWords(year);
}

/** "1 December 2026" for `2026-12-01`. */
export function dateInWords(date: string): string {
  return `${dayOfYear(date)} ${date.slice(0, 4)}`;
}

/** "1 December". */
function dayOfYear(date: string): string {
  return `${dayOf(date)} ${nameOfMonth(date)}`;
}

function dayOf(date: string): number {
  return Number(date.slice(8));
}

/** "December" for `2026-12` and for a date. */
export function nameOfMonth(date: string): string {
  return MONTHS[Number(date.slice(5, 7)) - 1] ?? "";
}

function weekdayOf(date: string): string {
  return WEEKDAYS[weekdayNumber(date) - 1] ?? "";
}

/** "Tuesday 1 December 2026". */
export function weekdayAndDate(date: string): string {
  return `${weekdayOf(date)} ${dateInWords(date)}`;
}

/** The day and the month of a date, as a leaf of a calendar has them: "1", "Dec". */
export function leafOf(date: string): { readonly month: string; readonly day: string } {
  return { month: nameOfMonth(date).slice(0, 3), day: String(dayOf(date)) };
}

/** "March", and "March 2025" in another year. */
function monthOf(date: string, today: string): string {
  return (isSameYear(date, today) ? nameOfMonth : monthInWords)(date);
}

function isSameYear(date: string, other: string): boolean {
  return date.slice(0, 4) === other.slice(0, 4);
}

const FORMATS = {
  "in-person": "In person",
  "online": "Online",
  "both": "In person and online",
} as const;

/** "In person and online". */
export function formatInWords(format: EventFormat): string {
  return FORMATS[format];
}

/** The place of an event in a few words; null if it is not known. */
export function placeOf(
  { format, inPerson }: Pick<StoredEvent, "format" | "inPerson">,
): string | null {
  const place = inPerson?.location ?? null;
  if (format === null) return place;
  if (format === "online" || place === null) return formatInWords(format);
  return format === "both" ? `${place}, and online` : place;
}

/** The place with the days in person that are not the event's own: "Porto, and online (in person 3–5 May)". */
export function whereInWords(event: StoredEvent): string | null {
  const place = placeOf(event);
  const meeting = meetingDays(event);
  if (place === null || meeting === null) return place;
  return `${place} (in person ${partInWords(meeting, event)})`;
}

/** The dates and the place, as far as they are known: "1–3 December 2026, Berlin". */
export function whenAndWhere(event: StoredEvent): string {
  return [datesInWords(event), whereInWords(event)].filter(Boolean).join(", ");
}

/** An address that is safe to link to: only `http:` and `https:`, so never `javascript:`. */
export function safeHref(address: string | null): string | null {
  const url = address === null ? null : URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}
