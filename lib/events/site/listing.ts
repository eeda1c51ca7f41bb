/** The events of the home page, in their groups and their order. */

import type { Catalog } from "../catalog.ts";
import type { Event } from "../model.ts";
import { lastDay, matcherOf, wordsOf } from "../match.ts";
import {
  EVERYTHING,
  isNarrow,
  isOver,
  PAGE_LENGTH,
  pastYear,
  type Selection,
  selectionHref,
} from "./selection.ts";
import { nearestName } from "../../platform/nearest.ts";
import { fold } from "../../platform/fold.ts";
import { memoize } from "../../platform/memoize.ts";
import { dateAfter, monthInWords, weekdayAndDate } from "../words.ts";
import { compare } from "../values.ts";
import { type Filter, isReversed, NO_FILTER } from "../filter.ts";

/** How the events of a group are shown: posters, lines, or tiles in one row. */
type GroupKind = "poster" | "row" | "tile";

/** A group of events under its heading. */
export interface Group {
  /** `month-2026-12` and `past-2026-10` for months, else `week`, `year`, `all` or `past`. */
  readonly id: string;
  readonly title: string;
  readonly kind: GroupKind;
  readonly events: readonly Event[];
}

/** The past events of a year, which have a page of their own. */
export interface PastYear {
  readonly year: string;
  readonly count: number;
}

/** A page of the events of a selection. */
export interface Listing {
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
  /** If no event is on the page: the search that was probably meant, and the number of its events. */
  readonly meant:
    | { readonly text: string; readonly selection: Selection; readonly count: number }
    | null;
  /** How many events are on this page and those before it. */
  readonly until: number;
  /** How many are on the pages after it. */
  readonly left: number;
}

/** An event begins this week if it begins on one of so many days, today included. */
const WEEK_DAYS = 7;
/** With fewer events this week, the first group has those of two weeks, so that the first screen is full. */
const FEW = 6;
/** An event that has lasted or will last longer runs all year, unless it ends within two weeks. */
const LONG_DAYS = 60;
const FORTNIGHT_DAYS = 14;
/** A shorter word is too near to too many others for two edits. */
const LONG_WORD = 4;
/** More words than this are not corrected: each is compared with all words of the events. */
const MAX_TYPED = 6;

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
 *
 * @param today `YYYY-MM-DD`, the day of the events' statuses.
 */
export function buildListing(
  events: readonly Event[],
  selection: Selection,
  today: string,
): Listing {
  const listed = listedEvents(events, selection);
  const [past, current] = [listed.filter(isPast), listed.filter((event) => !isPast(event))];
  const groups = [...currentGroups(current, selection, today), ...pastGroups(past, selection)];
  const count = listed.length;
  const begin = selection.skip < count ? selection.skip : 0;
  const until = Math.min(begin + PAGE_LENGTH, count);
  let before = 0;
  const cut = groups.map((group) => {
    const events = group.events.slice(Math.max(0, begin - before), Math.max(0, until - before));
    before += group.events.length;
    return { ...group, events };
  });
  return {
    title: titleOf(selection),
    greeting: greetingOf(current, past.length, selection),
    groups: cut.filter(({ events }) => events.length > 0),
    count,
    past: matchingEvents(events, selection).length - count,
    years: yearsOf(events, selection),
    meant: count > 0 ? null : meantBy(events, selection),
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
  return events.filter((event) => matches(event, event.status));
}

/** The words of all events. */
const vocabularyOf = memoize((events: readonly Event[]) => [...new Set(events.flatMap(wordsOf))]);

/** The search in which each word that no event has is replaced by the nearest one; null unless that finds events. */
function meantBy(events: readonly Event[], selection: Selection): Listing["meant"] {
  const typed = fold(selection.text).split(" ").filter((word) => word !== "").slice(0, MAX_TYPED);
  if (typed.length === 0) return null;
  const known = vocabularyOf(events);
  const words = typed.map((word) => {
    if (known.some((each) => each.includes(word))) return word;
    const edits = word.length < LONG_WORD ? 1 : 2;
    const near = known.filter(({ length }) => Math.abs(length - word.length) <= edits);
    const nearest = nearestName(word, near);
    return nearest !== null && nearest.edits <= edits ? nearest.name : null;
  });
  if (words.includes(null)) return null;
  const text = words.join(" ");
  const meant = { ...selection, text, skip: 0 };
  const count = listedEvents(events, meant).length;
  return text === typed.join(" ") || count === 0 ? null : { text, selection: meant, count };
}

/** Whether a selection asks for words or days, which past events may have too. */
function isSearch({ text, from, to }: Selection): boolean {
  return text !== "" || from !== null || to !== null;
}

/**
 * The events of this week, what runs all year, and the rest by month. What is on is part of this week. What runs all
 * year comes after the first group, so that the page never begins with it unless there is nothing else.
 */
function currentGroups(
  events: readonly Event[],
  selection: Selection,
  today: string,
): readonly Group[] {
  const kind = kindOf(selection);
  if (selection.sort !== null) {
    return [{ id: "all", title: "Events", kind, events: sorted(events, selection) }];
  }
  const soon = dateAfter(today, FORTNIGHT_DAYS);
  const { lasting = [], rest = [] } = Object.groupBy(
    events,
    (event) => isLong(event, soon) ? "lasting" : "rest",
  );
  const within = (days: number) => {
    const end = dateAfter(today, days);
    return rest.filter((event) => isOngoing(event) || event.startDate < end);
  };
  const [week, fortnight] = [within(WEEK_DAYS), within(FORTNIGHT_DAYS)];
  const isShort = week.length < FEW && fortnight.length > week.length && week.length > 0;
  const near = isShort ? fortnight : week;
  const title = isShort ? "The next two weeks" : "This week";
  const isNear = new Set(near);
  const later = rest.filter((event) => !isNear.has(event));
  const groups: readonly Group[] = [
    { id: "week", title, kind, events: near },
    ...byMonth(later, ({ startDate }) => startDate, "month-", kind),
  ];
  const [head, ...tail] = groups
    .map((group) => ({ ...group, events: inOrder(group.events, today) }))
    .filter(({ events }) => events.length > 0);
  const year: Group = {
    id: "year",
    title: "All year",
    kind: kind === "row" || head === undefined ? kind : "tile",
    events: inOrder(lasting, today),
  };
  return head === undefined ? [year] : [head, year, ...tail];
}

/** Whether an event that is on lasts for months and does not end before `soon` (`YYYY-MM-DD`). */
function isLong(event: Event, soon: string): boolean {
  const { startDate, endDate } = event;
  if (!isOngoing(event)) return false;
  if (endDate === null) return true;
  return endDate >= soon && endDate >= dateAfter(startDate, LONG_DAYS);
}

/**
 * Events by the day that concerns visitors: the last day of those that are on, the first day of the others. Featured
 * ones that begin or end within two weeks come first: no other event may hide those that are near.
 */
function inOrder(events: readonly Event[], today: string): readonly Event[] {
  const end = dateAfter(today, FORTNIGHT_DAYS);
  const dayOf = (event: Event) => isOngoing(event) ? event.endDate ?? "9999" : event.startDate;
  const isFirst = (event: Event) => event.pinned && (dayOf(event) < end || !isOngoing(event));
  return events.toSorted((a, b) =>
    Number(isFirst(b)) - Number(isFirst(a)) || compare(dayOf(a), dayOf(b)) ||
    compare(b.startDate, a.startDate)
  );
}

function kindOf({ view }: Selection): GroupKind {
  return view === "list" ? "row" : "poster";
}

function pastGroups(events: readonly Event[], selection: Selection): readonly Group[] {
  const kind = kindOf(selection);
  if (selection.sort !== null) {
    return [{ id: "past", title: "Past events", kind, events: sorted(events, selection) }];
  }
  // The event that ended last comes first.
  const past = events.toSorted((a, b) => compare(lastDay(b), lastDay(a)));
  return byMonth(past, lastDay, "past-", kind);
}

/** The months of events that are in order. */
function byMonth(
  events: readonly Event[],
  dayOf: (event: Event) => string,
  prefix: string,
  kind: GroupKind,
): readonly Group[] {
  return [...Map.groupBy(events, (event) => dayOf(event).slice(0, 7))].map(([month, events]) => ({
    id: `${prefix}${month}`,
    title: monthInWords(month),
    kind,
    events,
  }));
}

function yearsOf(events: readonly Event[], selection: Selection): readonly PastYear[] {
  const { statuses } = selection;
  const isExcluded = statuses.length > 0 && !statuses.includes("ended");
  if (isExcluded || isSearch(selection)) return [];
  const past = matchingEvents(events, { ...selection, statuses: ["ended"], year: null });
  return [...Map.groupBy(past, (event) => lastDay(event).slice(0, 4))]
    .map(([year, { length }]) => ({ year, count: length }))
    .toSorted((a, b) => compare(b.year, a.year));
}

function sorted(events: readonly Event[], { sort }: Selection): readonly Event[] {
  return sort === "name"
    ? events.toSorted((a, b) => compare(a.name, b.name) || compare(a.id, b.id))
    : events.toSorted((a, b) => compare(b.announcedAt, a.announcedAt) || compare(b.id, a.id));
}

function isPast({ status }: Event): boolean {
  return status === "ended";
}

function isOngoing({ status }: Event): boolean {
  return status === "ongoing";
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

/** The events that are on, that come and that are over, in words whose numbers add up to the count of the page. */
function greetingOf(events: readonly Event[], past: number, selection: Selection): string {
  if (isReversed(selection)) return "The last day is before the first one. Change one of the two.";
  const soon = events.filter((event) => !isOngoing(event));
  const now = events.length - soon.length;
  const [next] = soon;
  const day = next && weekdayAndDate(next.startDate);
  const sentences = [
    now > 0 && `${areInWords(now)} on now.`,
    day &&
    `${areInWords(soon.length)} coming up, ${soon.length === 1 ? "" : "the next "}on ${day}.`,
    past > 0 && `${areInWords(past)} over.`,
  ].filter(Boolean);
  if (sentences.length > 0) return sentences.join(" ");
  return isNarrow(selection)
    ? "Fewer words or filters find more."
    : "Nothing is on or announced right now.";
}

function areInWords(count: number): string {
  return count === 1 ? "One event is" : `${count} events are`;
}
