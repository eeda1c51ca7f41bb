/** The programme: the events of the home page, in their groups and their order. */

import type { Catalog } from "../catalog.ts";
import type { Event } from "../model.ts";
import { lastDay, matcherOf, textMatcherOf } from "../match.ts";
import {
  type Chosen,
  chosenFilters,
  EVERYTHING,
  isNarrow,
  isOver,
  PAGE_LENGTH,
  pastYear,
  type Selection,
  selectionHref,
} from "./programme_query.ts";
import { memoize } from "../../platform/memoize.ts";
import { compare } from "../values.ts";
import { type Filter, isReversed, NO_FILTER } from "../filter.ts";
import { monthInWords, weekdayAndDate } from "../words.ts";

/** How the events of a group are shown: tiles in one row, posters, lines, or small cards of past events. */
type GroupKind = "strip" | "poster" | "row" | "small";

/** A group of events under its heading. */
export interface Group {
  /** `month-2026-12` and `past-2026-10` for months, else `pinned`, `next`, `now`, `later`, `all` or `past`. */
  readonly id: string;
  readonly title: string;
  readonly kind: GroupKind;
  readonly events: readonly Event[];
}

/** The past events of a year, which have a page of their own. */
export interface PastYear {
  readonly year: string;
  readonly count: number;
  /** The months that have events, the last first: "June", and the page on which the month begins. */
  readonly months: readonly {
    readonly title: string;
    readonly count: number;
    readonly href: string;
  }[];
}

/** A page of the events of a selection. */
export interface Programme {
  readonly title: string;
  readonly greeting: string;
  /** The groups that have events here, in the order of the page. */
  readonly groups: readonly Group[];
  /** How many events are on the pages of the selection. */
  readonly count: number;
  /** How many past events match besides, which have pages by year. */
  readonly past: number;
  /** The past events that match, by year, unless they were searched or excluded; the last year first. */
  readonly years: readonly PastYear[];
  /** If no event is on the page: each filter that could be removed, and the number of events without it. */
  readonly remedies: readonly (Chosen & { readonly count: number })[];
  /** How many events are on this page and those before it. */
  readonly until: number;
  /** How many are on the pages after it. */
  readonly left: number;
}

/** The number of upcoming events that are shown as posters, above the list by month. */
const LEADING = 3;

/** The events of each catalog, by the day for which they were last read. */
const eventsOf = memoize((_catalog: Catalog) => ({ date: "", events: [] as readonly Event[] }));

/** Every event with today's status, ordered by first day; read once per catalog and day (`YYYY-MM-DD`). */
export function allEvents(catalog: Catalog, date: string): readonly Event[] {
  const known = eventsOf(catalog);
  if (known.date !== date) {
    const order = { sort: "startDate", order: "asc" } as const;
    known.events = catalog.events({ ...NO_FILTER, ...order, limit: null, changedSince: null });
    known.date = date;
  }
  return known.events;
}

/**
 * Selects and arranges events, which are in the order of `allEvents`: the page that begins after `skip` of them, or
 * the first if there are no more.
 */
export function buildProgramme(events: readonly Event[], selection: Selection): Programme {
  const listed = listedEvents(events, selection);
  const [past, current] = [listed.filter(isPast), listed.filter((event) => !isPast(event))];
  const groups = [...currentGroups(current, selection), ...pastGroups(past, selection)];
  const count = listed.length;
  const begin = selection.skip < count ? selection.skip : 0;
  const until = Math.min(begin + PAGE_LENGTH, count);
  let before = 0;
  const cut = groups.map((group) => {
    const events = group.events.slice(Math.max(0, begin - before), Math.max(0, until - before));
    before += group.events.length;
    return { ...group, events };
  });
  const remedies = count > 0 ? [] : chosenFilters(selection).map((chosen) => ({
    ...chosen,
    count: listedEvents(events, chosen.without).length,
  }));
  return {
    title: titleOf(selection),
    greeting: isOver(selection) && !isReversed(selection)
      ? overInWords(count, selection)
      : greetingOf(current, past.length, selection),
    groups: cut.filter(({ events }) => events.length > 0),
    count,
    past: matchingEvents(events, selection).length - count,
    years: yearsOf(events, selection),
    remedies: remedies.filter(({ count }) => count > 0),
    until,
    left: count - until,
  };
}

/** The events on the pages of a selection. Past events have pages by year, unless the selection asks for them. */
function listedEvents(events: readonly Event[], selection: Selection): readonly Event[] {
  const { statuses, year } = selection;
  const isFolded = statuses.length === 0 && year === null && !isSearch(selection);
  return matchingEvents(events, selection).filter((event) => !(isFolded && isPast(event)));
}

/** The events that a filter chooses: those of the API, the feeds and the calendar. */
function matchingEvents(events: readonly Event[], filter: Filter): readonly Event[] {
  const matches = matcherOf(filter);
  const hasWords = textMatcherOf(filter);
  return events.filter((event) => matches(event, event.status) && hasWords(event));
}

/** Whether a selection asks for words or days, which past events may have too. */
function isSearch({ text, from, to }: Selection): boolean {
  return text !== "" || from !== null || to !== null;
}

function currentGroups(events: readonly Event[], selection: Selection): readonly Group[] {
  const kind = selection.view === "list" ? "row" : "poster";
  if (selection.sort !== null) {
    return [{ id: "all", title: "Events", kind, events: sorted(events, selection) }];
  }
  const ongoing = events.filter(({ status }) => status === "ongoing").toSorted(byUrgency);
  const upcoming = events.filter(isUpcoming);
  const next = upcoming.filter(isFree);
  const later = next.slice(LEADING);
  return [
    {
      id: "pinned",
      title: "Featured",
      kind: "strip",
      events: [...ongoing, ...upcoming].filter(({ pinned }) => pinned),
    },
    { id: "next", title: "Coming up", kind: "poster", events: next.slice(0, LEADING) },
    { id: "now", title: "On now", kind, events: ongoing.filter(isFree) },
    ...(kind === "row"
      ? byMonth(later, ({ startDate }) => startDate, "month-")
      : [{ id: "later", title: "Later", kind, events: later } as const]),
  ];
}

function pastGroups(events: readonly Event[], selection: Selection): readonly Group[] {
  const past = selection.sort === null ? events.toSorted(byLastDay) : sorted(events, selection);
  const isCards = selection.view === "cards";
  if (selection.sort === null && !isCards) return byMonth(past, lastDay, "past-");
  return [{ id: "past", title: "Past events", kind: isCards ? "small" : "row", events: past }];
}

/** The months of events that are in order. */
function byMonth(
  events: readonly Event[],
  dayOf: (event: Event) => string,
  prefix: string,
): readonly Group[] {
  return [...Map.groupBy(events, (event) => dayOf(event).slice(0, 7))].map(([month, events]) => ({
    id: `${prefix}${month}`,
    title: monthInWords(month),
    kind: "row",
    events,
  }));
}

function yearsOf(events: readonly Event[], selection: Selection): readonly PastYear[] {
  const { statuses } = selection;
  const isExcluded = statuses.length > 0 && !statuses.includes("ended");
  if (isExcluded || isSearch(selection)) return [];
  const past = matchingEvents(events, { ...selection, statuses: ["ended"], year: null })
    .toSorted(byLastDay);
  return [...Map.groupBy(past, (event) => lastDay(event).slice(0, 4))].map(([year, events]) => {
    let before = 0;
    const months = byMonth(events, lastDay, "past-").map(({ id, title, events: { length } }) => {
      const skip = before - before % PAGE_LENGTH;
      before += length;
      const href = `${selectionHref({ ...pastYear(year, selection), skip })}#${id}`;
      return { title: title.replace(` ${year}`, ""), count: length, href };
    });
    return { year, count: events.length, months };
  });
}

function sorted(events: readonly Event[], { sort }: Selection): readonly Event[] {
  return sort === "name"
    ? events.toSorted((a, b) => compare(a.name, b.name) || compare(a.id, b.id))
    : events.toSorted((a, b) => compare(b.announcedAt, a.announcedAt) || compare(b.id, a.id));
}

function isPast({ status }: Event): boolean {
  return status === "ended";
}

function isUpcoming({ status }: Event): boolean {
  return status === "upcoming";
}

function isFree({ pinned }: Event): boolean {
  return !pinned;
}

/** The event that ended last comes first. */
function byLastDay(a: Event, b: Event): number {
  return compare(lastDay(b), lastDay(a));
}

/** The addresses of the pages of past events by year. */
export function pastPages(catalog: Catalog): readonly string[] {
  return yearsOf(allEvents(catalog, catalog.day().date), EVERYTHING)
    .map(({ year }) => selectionHref(pastYear(year)));
}

function titleOf(selection: Selection): string {
  const { year } = selection;
  if (!isOver(selection)) return "What’s on";
  return year === null ? "Past events" : `Past events of ${year}`;
}

function overInWords(count: number, { year }: Selection): string {
  const events = count === 1 ? "One event" : `${count} events`;
  return `${events} took place${year === null ? " so far" : ` in ${year}`}.`;
}

/** The ongoing and the next events, in a sentence. */
function greetingOf(events: readonly Event[], past: number, selection: Selection): string {
  if (isReversed(selection)) return "The last day is before the first one. Change one of the two.";
  const now = events.filter(({ status }) => status === "ongoing").length;
  const soon = events.filter(isUpcoming);
  const [next] = soon;
  const open = `${now === 1 ? "One event is" : `${now} events are`} on right now`;
  if (next === undefined) {
    if (now > 0) return `${open}. Come in.`;
    if (past > 0) {
      return `No such event is coming up, but ${past === 1 ? "one" : past} took place before.`;
    }
    return isNarrow(selection)
      ? "No such event is announced."
      : "Nothing is on or announced right now.";
  }
  const day = weekdayAndDate(next.startDate);
  // A filter may hide ongoing events.
  if (now === 0 && isNarrow(selection)) {
    return soon.length === 1
      ? `One event is coming up, on ${day}.`
      : `${soon.length} events are coming up, the next on ${day}.`;
  }
  if (now === 0) return `Nothing is on today. The next event begins on ${day}.`;
  const more = soon.length === 1
    ? "one more begins"
    : `${soon.length} more are coming up, the next`;
  return `${open}, and ${more} on ${day}.`;
}

/** The ongoing event that ends first comes first; of those that end together, the one that began last. */
function byUrgency(a: Event, b: Event): number {
  return compare(a.endDate ?? "9999", b.endDate ?? "9999") || compare(b.startDate, a.startDate);
}
