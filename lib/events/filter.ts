/**
 * The filters of events: which events a query string chooses. The page, the list, the feeds and the calendar have the
 * same parameters, read by the same function, with one canonical order.
 */

import {
  anyOf,
  DATE,
  FLAG,
  type Given,
  text as textOf,
  texts,
  YEAR,
} from "../platform/parameters.ts";
import { type Period, PERIODS } from "./days.ts";
import { searchText } from "../platform/text.ts";
import {
  compare,
  EVENT_FORMATS,
  EVENT_STATUSES,
  type EventStatus,
  PROJECT_TYPES,
  type ProjectType,
} from "./values.ts";

/** A longer search is refused, and on a page cut. */
export const MAX_TEXT_LENGTH = 100;

/** A longer place is refused, and on a page not read. */
const MAX_PLACE_LENGTH = 200;

/** The formats that a filter chooses: an event that is `both` can be followed online, and is not online only. */
const FORMAT_CHOICES = [...EVENT_FORMATS, "online-only"] as const;
/** One of these. */
export type FormatChoice = typeof FORMAT_CHOICES[number];

/** The parameters of every filter. */
export const FILTER_PARAMETERS = {
  status: anyOf(EVENT_STATUSES),
  format: anyOf(FORMAT_CHOICES),
  projectType: anyOf(PROJECT_TYPES),
  place: texts(MAX_PLACE_LENGTH),
  q: textOf(MAX_TEXT_LENGTH),
  when: anyOf(PERIODS),
  from: DATE,
  to: DATE,
  year: YEAR,
  pinned: FLAG,
};

/** Which events are chosen: those that match every part. An empty list and null mean any. */
export interface Filter {
  readonly statuses: readonly EventStatus[];
  /** An event that is `both` also matches `in-person` and `online`. */
  readonly formats: readonly FormatChoice[];
  readonly projectTypes: readonly ProjectType[];
  /** Towns, countries or texts of places, as they were typed; `places.ts` compares them. */
  readonly places: readonly string[];
  /** Words in the texts of the event, compared as `lib/platform/fold.ts` folds them; "" for any. */
  readonly text: string;
  /** The event is on at a day of one of these, on whatever day the filter is used. */
  readonly periods: readonly Period[];
  /** The first and the last of some days (`YYYY-MM-DD`): the event is on at one of them. */
  readonly from: string | null;
  readonly to: string | null;
  /** The year, or the month (`YYYY-MM`), of the event's last day, or of its first if it has no end. */
  readonly year: string | null;
  readonly pinned: boolean | null;
}

/**
 * The filter of given values, the same for all values that mean the same.
 *
 * @param refuse called if `to` is before `from`. If it returns, the filter keeps both, and chooses no event.
 */
export function filterOf(
  given: Given<typeof FILTER_PARAMETERS>,
  refuse: (from: string, to: string) => void = () => {},
): Filter {
  const { status, format, projectType, from = null, to = null, year = null } = given;
  if (from !== null && to !== null && isReversed({ from, to })) refuse(from, to);
  const statuses = inOrder(EVENT_STATUSES, status);
  return {
    // Each event has a status, but not each has a format or a project type.
    statuses: statuses.length === EVENT_STATUSES.length ? [] : statuses,
    formats: formatsOf(format),
    projectTypes: inOrder(PROJECT_TYPES, projectType),
    places: inWords(given.place),
    text: searchText(given.q ?? null, MAX_TEXT_LENGTH),
    periods: inOrder(PERIODS, given.when),
    from,
    to,
    year,
    pinned: given.pinned ?? null,
  };
}

/** Formats without those that others imply. */
function formatsOf(given: readonly FormatChoice[] = []): readonly FormatChoice[] {
  const has = (format: FormatChoice) => given.includes(format);
  const isOnline = has("online") || (has("both") && has("online-only"));
  if (isOnline) return has("in-person") ? ["in-person", "online"] : ["online"];
  return inOrder(FORMAT_CHOICES, given).filter((each) => each !== "both" || !has("in-person"));
}

/** Whether the last day of a filter is before its first. */
export function isReversed({ from, to }: Pick<Filter, "from" | "to">): boolean {
  return from !== null && to !== null && to < from;
}

/** Whether a midnight can change which events a filter chooses. */
export function dependsOnDay({ statuses, periods }: Filter): boolean {
  return statuses.length > 0 || periods.length > 0;
}

/** The filter that chooses every event. */
export const NO_FILTER: Filter = /* @__PURE__ */ filterOf({});

function inOrder<T>(all: readonly T[], given: readonly T[] = []): readonly T[] {
  return all.filter((value) => given.includes(value));
}

/** Texts on one line, each once, in an order of their own. */
function inWords(given: readonly string[] = []): readonly string[] {
  const places = given.map((text) => searchText(text, MAX_PLACE_LENGTH));
  return [...new Set(places.filter((text) => text !== ""))].toSorted(compare);
}

/** A parameter and its value, in a canonical query string. */
export type Pair = readonly [name: string, value: string];

/** The parameters of a filter in their canonical order, then others; without those that have no value. */
export function filterPairs(filter: Filter, others: readonly Pair[] = []): readonly Pair[] {
  const { statuses, formats, projectTypes, places, text, periods, from, to, year, pinned } = filter;
  const pairs: Pair[] = [
    ["q", text],
    ["status", statuses.join(",")],
    ["format", formats.join(",")],
    ["projectType", projectTypes.join(",")],
    ...places.map((place) => ["place", place] as const),
    ["when", periods.join(",")],
    ["year", year ?? ""],
    ["from", from ?? ""],
    ["to", to ?? ""],
    ["pinned", pinned === null ? "" : String(pinned)],
    ...others,
  ];
  return pairs.filter(([, value]) => value !== "");
}

/** The query string of pairs, with its `?`; "" without any. */
export function searchOfPairs(pairs: readonly Pair[]): string {
  if (pairs.length === 0) return "";
  return `?${
    new URLSearchParams(pairs.map((pair) => [...pair])).toString().replaceAll("%2C", ",")
  }`;
}
