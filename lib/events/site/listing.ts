/** The events of the home page, in their groups and their order. */

import type { Catalog } from "../catalog.ts";
import type { Event } from "../model.ts";
import { matcherOf } from "../match.ts";
import {
  isNarrow,
  isOver,
  PAGE_LENGTH,
  PAST_PAGE_LENGTH,
  pastOf,
  pastYear,
  type Selection,
  selectionHref,
} from "./selection.ts";
import {
  dateAfter,
  type Days,
  daysOfAll,
  earlier,
  isOn,
  lastDay,
  later,
  type Period,
  runsThrough,
} from "../days.ts";
import {
  type Counts,
  eventsInWords,
  filterInWords,
  lowerFirst,
  periodsInWords,
} from "./filter_words.ts";
import { correctWords, prepareWords } from "./corrections.ts";
import {
  correctPlace,
  namesOfPlaces,
  type OfferedPlaces,
  offerPlaces,
  placeOfEvent,
} from "../places.ts";
import { memoize, memoizeLast } from "../../platform/memoize.ts";
import { forEachInSlices } from "../../platform/timeout.ts";
import { monthInWords, nameOfMonth, weekdayAndDate, yearInWords } from "../words.ts";
import type { Snapshot } from "../keeping/snapshot.ts";
import { compare, compareNames } from "../values.ts";
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

/** The past events of a year or a month, which have a page of their own. */
export interface PastYear {
  /** `YYYY` or `YYYY-MM`. */
  readonly year: string;
  readonly count: number;
}

/** A page of the events of a selection. */
export interface Listing extends Counts {
  readonly title: string;
  readonly greeting: string;
  /** The groups that have events here, in the order of the page. */
  readonly groups: readonly Group[];
  /** The past events that match apart from their year, by year; the last year first. */
  readonly years: readonly PastYear[];
  /** Those of the selection's year, or of the last one, by month; none unless past events alone are selected. */
  readonly months: readonly PastYear[];
  /** If no event is on the page: the search that was probably meant, and the number of its events. */
  readonly suggestion:
    | { readonly text: string; readonly selection: Selection; readonly count: number }
    | null;
  /** How many events are on this page and those before it. */
  readonly until: number;
  /** How many are on the next page, and on all pages after this one. */
  readonly next: number;
  readonly left: number;
}

/** With fewer events this week, the first group has those of more days, so that the first screen is full. */
const FEW = 6;
/** A featured event comes first in its group if it begins or ends within so many days. */
const NEAR_DAYS = 14;

/** The events of each snapshot, by the day for which they were last read. */
const eventsOf = memoizeLast<Snapshot["events"], readonly Event[]>();

/** Every event with today's status, ordered by first day; read once per snapshot and day (`YYYY-MM-DD`). */
export function allEvents(catalog: Catalog, date: string): readonly Event[] {
  return eventsOf(catalog.snapshot.events, date, () => {
    const order = { sort: "startDate", order: "asc" } as const;
    const events = catalog.events({ ...NO_FILTER, ...order, limit: null, changedSince: null });
    // Statuses change at midnight, and with them the events.
    void prepareWords(events);
    return events;
  });
}

/** Makes the events of a new snapshot ready for pages and searches, between requests. */
export async function prepareEvents(catalog: Catalog): Promise<void> {
  await forEachInSlices(catalog.snapshot.events, ({ id }) => void catalog.event(id));
  const events = allEvents(catalog, catalog.day().date);
  await forEachInSlices(events, placeOfEvent);
  placesOf(events);
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
  const matching = matchingEvents(events, selection, today);
  const listed = listedOf(matching, selection);
  const [past, current] = [listed.filter(isPast), listed.filter((event) => !isPast(event))];
  const lead = leadOf(current, selection, today);
  const lasting = current.filter((event) => runsThrough(event, lead.days));
  const groups = [
    ...currentGroups(current, lead, selection, today),
    ...pastGroups(past, selection),
  ];
  // Without a choice of its own, the selection has all past events already.
  const over = matchesPast(selection)
    ? matching.filter(isPast)
    : matchingEvents(events, pastOf(selection), today);
  const years = spansOf(over, 4);
  const year = selection.year?.slice(0, 4) ?? years[0]?.year ?? "";
  const count = listed.length;
  const begin = selection.skip < count ? selection.skip : 0;
  const until = endOfPage(begin, current.length, count);
  let before = 0;
  const cut = groups.map((group) => {
    const events = group.events.slice(Math.max(0, begin - before), Math.max(0, until - before));
    before += group.events.length;
    return { ...group, events };
  });
  return {
    title: titleOf(selection, count),
    greeting: greetingOf(current, lasting, past.length, selection),
    groups: cut.filter(({ events }) => events.length > 0),
    count,
    lasting: lasting.length,
    past: matching.length - count,
    years,
    months: isOver(selection) ? spansOf(over.filter((event) => isIn(event, year)), 7) : [],
    suggestion: count > 0 ? null : suggest(events, selection, today),
    until,
    next: endOfPage(until, current.length, count) - until,
    left: count - until,
  };
}

/** The end of the page that begins after so many events, the past ones of which are the last. */
function endOfPage(begin: number, current: number, count: number): number {
  return Math.min(begin + PAGE_LENGTH, Math.max(begin, current) + PAST_PAGE_LENGTH, count);
}

/**
 * The events on the pages of a selection, of those that match. Past events have pages by year, unless the selection asks
 * for them.
 */
function listedOf(matching: readonly Event[], selection: Selection): readonly Event[] {
  const { statuses, year } = selection;
  const isFolded = statuses.length === 0 && year === null && !isSearch(selection);
  return isFolded ? matching.filter((event) => !isPast(event)) : matching;
}

/** The events that a filter chooses: those of the API, the feeds and the calendar. */
function matchingEvents(
  events: readonly Event[],
  filter: Filter,
  today: string,
): readonly Event[] {
  const matches = matcherOf(filter, today);
  return events.filter((event) => matches(event, event.status));
}

/** The search that was probably meant; null unless it finds events. */
function suggest(
  events: readonly Event[],
  selection: Selection,
  today: string,
): Listing["suggestion"] {
  const text = selection.text === "" ? null : correctWords(selection.text, events);
  const names = selection.places.length === 0 ? null : namesOfPlaces(events);
  const places = selection.places
    .map((place) => (names && correctPlace(place, names)) ?? place);
  const isSame = places.every((place, at) => place === selection.places[at]);
  if (text === null && isSame) return null;
  const likely = { ...selection, text: text ?? selection.text, places, skip: 0 };
  const count = listedOf(matchingEvents(events, likely, today), likely).length;
  return count === 0
    ? null
    : { text: [likely.text, ...places].filter(Boolean).join(", "), selection: likely, count };
}

const placesOf = memoize((events: readonly Event[]) => {
  const { past = [], current = [] } = Object.groupBy(
    events,
    (event) => isPast(event) ? "past" : "current",
  );
  return { past: offerPlaces(past), current: offerPlaces(current) };
});

/** The places to choose from: those of the events that are on or come, or of past ones if these alone are asked for. */
export function offeredPlaces(
  events: readonly Event[],
  selection: Selection,
): readonly OfferedPlaces[] {
  return placesOf(events)[isOver(selection) ? "past" : "current"];
}

/** Whether a selection asks for words or days, which past events may have too. */
function isSearch({ text, from, to }: Selection): boolean {
  return text !== "" || from !== null || to !== null;
}

/** The first group of events that are on or come: its periods, if they have names, and its days. */
interface Lead {
  readonly periods: readonly Period[];
  readonly days: Days;
}

/** The periods of the first group if no days are asked for: this week's, unless nothing is on this week. */
const MONTHS = [["this-month"], ["this-month", "next-month"]] as const;
const LEADS = [["this-week"], ["this-week", "next-week"], ...MONTHS] as const;
const NEXT_LEADS = [["next-week"], ...MONTHS] as const;

/**
 * The days that are asked for, else the first periods that have enough events, or most of them. A group with the name of
 * a period has the events that the filter of this name chooses.
 */
function leadOf(events: readonly Event[], selection: Selection, today: string): Lead {
  const { from, to } = selection;
  const named = (periods: readonly Period[]) => ({ periods, days: daysOfAll(periods, today) });
  if (selection.periods.length > 0) return named(selection.periods);
  if (from !== null || to !== null) {
    const first = from ?? earlier(today, to ?? today);
    return { periods: [], days: { from: first, to: to ?? later(today, first) } };
  }
  const count = ({ days }: Lead) =>
    events.filter((event) => isOn(event, days) && !runsThrough(event, days)).length;
  const week = named(LEADS[0]);
  const leads = (count(week) > 0 ? LEADS : NEXT_LEADS).map(named);
  const most = Math.min(FEW, Math.max(...leads.map(count)));
  return leads.find((lead) => count(lead) >= most) ?? week;
}

/**
 * The events of the first days, what runs for months, and the rest by month. What runs for months comes after the first
 * group, so that the page never begins with it unless there is nothing else.
 */
function currentGroups(
  events: readonly Event[],
  { periods, days }: Lead,
  selection: Selection,
  today: string,
): readonly Group[] {
  const kind = kindOf(selection);
  if (selection.sort !== null) {
    return [{ id: "all", title: "Events", kind, events: sorted(events, selection) }];
  }
  const isFirst = (event: Event) => periods.length > 0 && isOn(event, days);
  const { lasting = [], first = [], rest = [] } = Object.groupBy(
    events,
    (event) => runsThrough(event, days) ? "lasting" : isFirst(event) ? "first" : "rest",
  );
  // An event that has begun is listed in the first month of the days that are asked for.
  const begin = periods.length > 0 ? today : later(days.from, today);
  const monthOf = ({ startDate }: Event) => later(startDate, begin);
  const byDay = rest.toSorted((a, b) => compare(monthOf(a), monthOf(b)));
  const months = byMonth(byDay, monthOf, "month-", kind).map((month) => ({
    ...month,
    title: first.length > 0 && month.id === `month-${days.to.slice(0, 7)}`
      ? `Later in ${nameOfMonth(days.to)}`
      : month.title,
  }));
  const groups: readonly Group[] = [
    { id: "week", title: periodsInWords(periods), kind, events: first },
    ...months,
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

/**
 * Events by the day that concerns visitors: the last day of those that are on, the first day of the others. Featured
 * ones that begin or end within two weeks come first: no other event may hide those that are near.
 */
function inOrder(events: readonly Event[], today: string): readonly Event[] {
  const end = dateAfter(today, NEAR_DAYS);
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

/** Past events by the first characters of their last days, 4 for years and 7 for months. */
function spansOf(past: readonly Event[], length: 4 | 7): readonly PastYear[] {
  return [...Map.groupBy(past, (event) => lastDay(event).slice(0, length))]
    .map(([year, events]) => ({ year, count: events.length }))
    .toSorted((a, b) => compare(b.year, a.year));
}

function isIn(event: Event, year: string): boolean {
  return lastDay(event).startsWith(year);
}

/** Whether a selection that has past events has those of every year. */
function matchesPast({ statuses, periods, year }: Selection): boolean {
  return (statuses.length === 0 || statuses.includes("ended")) && periods.length === 0 &&
    year === null;
}

function sorted(events: readonly Event[], { sort }: Selection): readonly Event[] {
  return sort === "name"
    ? events.toSorted((a, b) => compareNames(a.name, b.name) || compare(a.id, b.id))
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
  const { date } = catalog.day();
  return spansOf(allEvents(catalog, date).filter(isPast), 4)
    .map(({ year }) => selectionHref(pastYear(year)));
}

/** The title of a page; without an event it says what was sought. */
function titleOf(selection: Selection, count: number): string {
  const { year } = selection;
  const sought = filterInWords(selection);
  if (count === 0 && sought !== null && !isReversed(selection)) return `No ${lowerFirst(sought)}`;
  if (!isOver(selection)) return "What’s on";
  return year === null ? "Past events" : `Past events of ${yearInWords(year)}`;
}

/** The events that are on, that come and that are over, in words whose numbers add up to the count of the page. */
function greetingOf(
  events: readonly Event[],
  lasting: readonly Event[],
  past: number,
  selection: Selection,
): string {
  if (isReversed(selection)) return "The last day is before the first one. Change one of the two.";
  const { periods } = selection;
  if (periods.length > 0 && events.length > 0) {
    const counts = { count: events.length, lasting: lasting.length };
    return `${eventsInWords(counts, lowerFirst(periodsInWords(periods)))}.`;
  }
  const isLasting = new Set(lasting);
  const others = events.filter((event) => !isLasting.has(event));
  const soon = others.filter((event) => !isOngoing(event));
  const now = others.length - soon.length;
  const [next] = soon;
  const day = next && weekdayAndDate(next.startDate);
  const allYear = lasting.length;
  const sentences = [
    now > 0 && `${areInWords(now)} on now${allYear > 0 ? `, ${allYear} all year` : ""}.`,
    now === 0 && allYear > 0 && (allYear === 1 ? "One event runs" : `${allYear} events run`) +
      " all year.",
    day &&
    (now + allYear === 0 ? `${areInWords(soon.length)} coming up` : followInWords(soon.length)) +
      (soon.length === 1 ? `, on ${day}.` : `, from ${day} on.`),
    past > 0 && `${areInWords(past)} over.`,
  ].filter(Boolean);
  if (sentences.length > 0) return sentences.join(" ");
  return isNarrow(selection)
    ? "Fewer words or filters find more."
    : "Nothing is on or announced right now.";
}

function followInWords(count: number): string {
  return count === 1 ? "One follows" : `${count} follow`;
}

function areInWords(count: number): string {
  return count === 1 ? "One event is" : `${count} events are`;
}
