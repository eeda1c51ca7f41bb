/** The values of the events API, the orders of texts, and how old data may be. */

/** How old data may be that a client sees, its cache included. */
export const MAX_LAG_MILLISECONDS = 300_000;
/** How far the clocks of two isolates may differ, or a clock may be set back. */
export const MAX_SKEW_MILLISECONDS = 5_000;
/** How old data may be by the clock of the isolate that serves them, so that no clock finds them too old. */
export const MAX_AGE_MILLISECONDS = MAX_LAG_MILLISECONDS - MAX_SKEW_MILLISECONDS;
/**
 * The longest interval of reads with notifications: it covers lost ones, and signed addresses of attachments live two
 * hours.
 */
export const HOURLY_MILLISECONDS = 3_600_000;

/** The statuses of an event. */
export const EVENT_STATUSES = ["upcoming", "ongoing", "ended"] as const;
/** Where an event takes place. */
export const EVENT_FORMATS = ["in-person", "online", "both"] as const;
/** The kinds of projects at an event. */
export const PROJECT_TYPES = [
  "Electronics",
  "Websites",
  "Software",
  "Gamedev",
  "CAD",
  "Other",
] as const;
/** The fields that lists are sorted by. */
export const SORT_FIELDS = ["startDate", "announcedAt", "name"] as const;

/** One of {@linkcode EVENT_STATUSES}. */
export type EventStatus = typeof EVENT_STATUSES[number];
/** One of {@linkcode EVENT_FORMATS}. */
export type EventFormat = typeof EVENT_FORMATS[number];
/** One of {@linkcode PROJECT_TYPES}. */
export type ProjectType = typeof PROJECT_TYPES[number];
/** One of {@linkcode SORT_FIELDS}. */
export type SortField = typeof SORT_FIELDS[number];

/** Orders by code units: the same on every machine, whatever its locale. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Of one language on every machine, whose rules all others can read. */
const collator = new Intl.Collator("en", { numeric: true });

/**
 * Orders names as readers do: 2 before 10, accents and case only between names that are the same without them
 * (Unicode's root collation, as CLDR has it for English).
 */
export function compareNames(a: string, b: string): number {
  return collator.compare(a, b);
}
