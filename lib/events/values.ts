/** The values that the events contract fixes. Kept small, with no imports: browsers load it too. */

/** Contract, sections 1 and 8: how old an answer may be, what is kept of it included. */
export const MAX_LAG_MILLISECONDS = 300_000;
/** How far the clocks of two isolates may differ, or one be set back. */
export const MAX_SKEW_MILLISECONDS = 5_000;
/** How old data may be by the clock of who gives them, so that they are by no clock older than the contract allows. */
export const MAX_AGE_MILLISECONDS = MAX_LAG_MILLISECONDS - MAX_SKEW_MILLISECONDS;

/** Contract section 3: the states of an event. */
export const EVENT_STATUSES = ["upcoming", "ongoing", "ended"] as const;
/** Contract section 2: where an event takes place; null where nobody has said. */
export const EVENT_FORMATS = ["in-person", "online", "both"] as const;
/** Contract section 2: what is built at an event. */
export const PROJECT_TYPES = [
  "Electronics",
  "Websites",
  "Software",
  "Gamedev",
  "CAD",
  "Other",
] as const;
/** Contract section 4: what lists are sorted by. */
export const SORT_FIELDS = ["startDate", "announcedAt", "name"] as const;

/** One of {@linkcode EVENT_STATUSES}. */
export type EventStatus = typeof EVENT_STATUSES[number];
/** Where an event takes place. */
export type EventFormat = typeof EVENT_FORMATS[number];
/** What is built at an event. */
export type ProjectType = typeof PROJECT_TYPES[number];
/** A field to sort by. */
export type SortField = typeof SORT_FIELDS[number];

/** Orders by code units: the same on every machine, whatever its locale. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
