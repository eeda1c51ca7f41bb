/** Filters in words, for feeds, subscriptions and pages. */

import type { EventStatus, ProjectType } from "../values.ts";
import type { Period } from "../days.ts";
import { type Filter, type FormatChoice, isReversed } from "../filter.ts";
import { dateInWords, yearInWords } from "../words.ts";

/** In the order of the page's filter. */
const EVENT_STATES = ["ongoing", "upcoming", "ended"] as const;
const STATUSES: Readonly<Record<EventStatus, string>> = {
  ongoing: "on now",
  upcoming: "coming up",
  ended: "over",
};

const PERIODS: Readonly<Record<Period, string>> = {
  "today": "today",
  "this-weekend": "this weekend",
  "this-week": "this week",
  "next-week": "next week",
  "this-month": "this month",
  "next-month": "next month",
};

/** The words of some periods, as a heading: "This and next week". */
export function periodsInWords(periods: readonly Period[], conjunction = "and"): string {
  const words = periods.map((period) => PERIODS[period]).join(` ${conjunction} `);
  return upperFirst(words.replace(/ (\w+)(?= (?:and|or) next \1$)/, ""));
}

const FORMATS: Readonly<Record<FormatChoice, string>> = {
  "in-person": "in-person",
  "online": "online",
  "both": "in-person and online",
  "online-only": "online-only",
};

/** The visitors' word for a kind of project. */
export function typeInWords(type: ProjectType): string {
  return type === "Gamedev" ? "Games" : type;
}

/** "In-person events about games with “jam” that are coming up"; null if the filter chooses every event. */
export function filterInWords(filter: Filter): string | null {
  const { statuses, formats, projectTypes, places, text, periods, year, from, to, pinned } = filter;
  const states = EVENT_STATES.filter((status) => statuses.includes(status))
    .map((status) => STATUSES[status]).join(" or ");
  const are = [pinned === false ? "not featured" : "", states].filter(Boolean).join(" and ");
  const isFollowed = formats.length === 1 && formats[0] === "online";
  const that = [isFollowed ? "can be followed online" : "", are && `are ${are}`].filter(Boolean)
    .join(" and ");
  const words = [
    pinned === true ? "featured" : "",
    isFollowed ? "" : formats.map((format) => FORMATS[format]).join(" or "),
    "events",
    projectTypes.length > 0 ? `about ${projectTypes.map(topicInWords).join(" or ")}` : "",
    places.length === 0 ? "" : `in ${places.join(" or ")}`,
    text === "" ? "" : `with “${text}”`,
    that && `that ${that}`,
    lowerFirst(periodsInWords(periods, "or")),
    year === null ? "" : `of ${yearInWords(year)}`,
    from === null ? "" : `from ${dateInWords(from)}`,
    // The addresses of a reversed range leave out its last day too.
    to === null || isReversed(filter) ? "" : `until ${dateInWords(to)}`,
  ].filter(Boolean).join(" ");
  return words === "events" ? null : upperFirst(words);
}

/** How many events a filter chooses. */
export interface Counts {
  /** The number of events on its pages. */
  readonly count: number;
  /** How many of them run for months, and are counted apart. */
  readonly lasting: number;
  /** The number of past events besides. */
  readonly past: number;
}

/** "Events about games: 2 events, 10 all year, and 3 past ones". */
export function countInWords(filter: Filter, counts: Counts): string {
  const { past } = counts;
  const more = past === 0 ? "" : `, and ${past} past ${past === 1 ? "one" : "ones"}`;
  return `${filterInWords(filter) ?? "All events"}: ${eventsInWords(counts)}${more}`;
}

/** "1 event", "2 events, 10 all year", "10 events all year"; `when` follows the first number: "2 events this weekend". */
export function eventsInWords(
  { count, lasting = 0 }: Pick<Counts, "count"> & Partial<Counts>,
  when = "",
): string {
  const named = (number: number) => `${number} ${number === 1 ? "event" : "events"}`;
  const others = count - lasting;
  if (others === 0 && lasting > 0) return `${named(lasting)} all year`;
  return `${named(others)}${when && ` ${when}`}${lasting > 0 ? `, ${lasting} all year` : ""}`;
}

/** A text that begins with a capital letter. */
function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** A text that begins with a small letter. */
export function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

function topicInWords(type: ProjectType): string {
  if (type === "Other") return "other topics";
  return type === "CAD" ? type : typeInWords(type).toLowerCase();
}
