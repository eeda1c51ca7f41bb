/** Filters in words, for feeds, subscriptions and pages. */

import type { EventStatus, ProjectType } from "../values.ts";
import { type Filter, isReversed } from "../filter.ts";
import { dateInWords } from "../words.ts";

/** In the order of the page's filter. */
const EVENT_STATES = ["ongoing", "upcoming", "ended"] as const;
const STATUSES: Readonly<Record<EventStatus, string>> = {
  ongoing: "on now",
  upcoming: "coming up",
  ended: "over",
};

/** The visitors' word for a kind of project. */
export function typeInWords(type: ProjectType): string {
  return type === "Gamedev" ? "Games" : type;
}

/** "Online events about games with “jam” that are coming up"; null if the filter chooses every event. */
export function filterInWords(filter: Filter): string | null {
  const { statuses, formats, projectTypes, text, year, from, to, pinned } = filter;
  const states = EVENT_STATES.filter((status) => statuses.includes(status))
    .map((status) => STATUSES[status]).join(" or ");
  const are = [pinned === false ? "not featured" : "", states].filter(Boolean).join(" and ");
  const words = [
    pinned === true ? "featured" : "",
    formats.map((format) => format === "both" ? "in-person and online" : format).join(" or "),
    "events",
    projectTypes.length > 0 ? `about ${projectTypes.map(topicInWords).join(" or ")}` : "",
    text === "" ? "" : `with “${text}”`,
    are === "" ? "" : `that are ${are}`,
    year === null ? "" : `of ${year}`,
    from === null ? "" : `from ${dateInWords(from)}`,
    // The addresses of a reversed range leave out its last day too.
    to === null || isReversed(filter) ? "" : `until ${dateInWords(to)}`,
  ].filter(Boolean).join(" ");
  return words === "events" ? null : words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** The number of events on a page, and of past events that its filter chooses in addition. */
export interface Counts {
  readonly count: number;
  readonly past: number;
}

/** "Online events about games: 12 events, and 3 past ones". */
export function countInWords(filter: Filter, { count, past }: Counts): string {
  const more = past === 0 ? "" : `, and ${past} past ${past === 1 ? "one" : "ones"}`;
  return `${filterInWords(filter) ?? "All events"}: ${eventsInWords(count)}${more}`;
}

/** "1 event", "12 events". */
export function eventsInWords(count: number): string {
  return `${count} ${count === 1 ? "event" : "events"}`;
}

function topicInWords(type: ProjectType): string {
  if (type === "Other") return "other topics";
  return type === "CAD" ? type : typeInWords(type).toLowerCase();
}
