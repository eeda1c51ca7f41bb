/** The programme: the events of the home page, in their groups and their order. */

import type { Catalog, Day, Event } from "../events/mod.ts";
import { isNarrow, type Selection } from "./programme_query.ts";
import { compare } from "../events/browser.ts";
import { keptBy } from "../kept_by.ts";

/** A group of events under its heading. */
export interface Group {
  readonly id: "pinned" | "now" | "next" | "all" | "past";
  readonly title: string;
  readonly events: readonly Event[];
}

/** A page of the events of a selection. */
export interface Programme {
  /** The groups that have events here, in the order of the page; one group if the visitor chose an order. */
  readonly groups: readonly Group[];
  /** How many events match the selection, hidden ones included. */
  readonly count: number;
  /** How many past events match the selection, if some of them are hidden; else null. */
  readonly allPast: number | null;
  readonly greeting: string;
  /** How many events are on this page and those before it. */
  readonly until: number;
  /** How many are on the pages after it. */
  readonly left: number;
}

/** How many past events the page without filters shows. */
const RECENTLY_ENDED = 12;
/** Events on a page, so that its bytes can be cached. */
export const PAGE_LENGTH = 300;

/** The events of each catalog on the day for which they were last read. */
const eventsOf = new WeakMap<
  Catalog,
  { readonly date: string; readonly events: readonly Event[] }
>();
/** The searchable text of each event. */
const searchText = keptBy(({ name, description }: Event) => plain(`${name} ${description ?? ""}`));

/** Every event with today's status, ordered by first day; read once per catalog and day. */
export function allEvents(catalog: Catalog, { date }: Day): readonly Event[] {
  const known = eventsOf.get(catalog);
  if (known?.date === date) return known.events;
  const events = catalog.events({ statuses: null, sort: "startDate", order: "asc", limit: null });
  eventsOf.set(catalog, { date, events });
  return events;
}

/** Selects and arranges events: the page that begins after `from` of them, or the first if there are no more. */
export function buildProgramme(events: readonly Event[], selection: Selection): Programme {
  const chosen = events.filter(matcherOf(selection));
  const past = chosen.filter(({ status }) => status === "ended")
    .toSorted((a, b) => compare(lastDay(b), lastDay(a)));
  const shown = isNarrow(selection) ? past : past.slice(0, RECENTLY_ENDED);
  const isGrouped = selection.sort === null;
  const groups = isGrouped
    ? groupsOf(chosen, shown)
    : [{ id: "all", title: "Events", events: sorted(chosen, selection) } as const];
  const all = groups.reduce((sum, { events }) => sum + events.length, 0);
  const begin = selection.from < all ? selection.from : 0;
  const until = Math.min(begin + PAGE_LENGTH, all);
  let before = 0;
  const cut = groups.map((group) => {
    const events = group.events.slice(Math.max(0, begin - before), Math.max(0, until - before));
    before += group.events.length;
    return { ...group, events };
  });
  return {
    groups: cut.filter(({ events }) => events.length > 0),
    count: chosen.length,
    allPast: isGrouped && shown.length < past.length ? past.length : null,
    greeting: greetingOf(groups, selection),
    until,
    left: all - until,
  };
}

function sorted(events: readonly Event[], { sort, order }: Selection): readonly Event[] {
  const direction = order === "asc" ? 1 : -1;
  return sort === null
    ? events
    : events.toSorted((a, b) => direction * (compare(a[sort], b[sort]) || compare(a.id, b.id)));
}

function groupsOf(events: readonly Event[], past: readonly Event[]): readonly Group[] {
  const isPinned = ({ pinned, status }: Event) => pinned && status !== "ended";
  const pinned = events.filter(isPinned).toSorted(byUrgency);
  const free = (status: Event["status"]) =>
    events.filter((event) => event.status === status && !isPinned(event));
  const next = free("upcoming").toSorted((a, b) => compare(a.startDate, b.startDate));
  return [
    { id: "pinned", title: "Featured", events: pinned },
    { id: "now", title: "On now", events: free("ongoing").toSorted(byUrgency) },
    { id: "next", title: "Coming up", events: next },
    { id: "past", title: "Past events", events: past },
  ];
}

function lastDay({ startDate, endDate }: Event): string {
  return endDate ?? startDate;
}

/** Whether the cards of a group are small. */
export function isSmall({ id }: Group): boolean {
  return id === "past";
}

/** The greeting at the top of the page. */
function greetingOf(groups: readonly Group[], selection: Selection): string {
  const events = selection.sort === null ? groups.flatMap(({ events }) => events) : [];
  const now = events.filter(({ status }) => status === "ongoing").length;
  const soon = events.filter(({ status }) => status === "upcoming").length;
  if (isNarrow(selection) || now + soon === 0) return "Look around, and join what you like.";
  if (now === 0) {
    return `Nothing is on today, but ${soon} ${soon === 1 ? "event is" : "are"} on the way.`;
  }
  const open = `${now === 1 ? "One event is" : `${now} events are`} on right now`;
  const more = soon === 0 ? "" : `, and ${soon} more ${soon === 1 ? "is" : "are"} on the way`;
  return `${open}${more}. Come in.`;
}

/** Ongoing events first, those that end soonest leading; then upcoming ones by their first day. */
function byUrgency(a: Event, b: Event): number {
  return Number(a.status === "upcoming") - Number(b.status === "upcoming") ||
    (a.status === "upcoming"
      ? compare(a.startDate, b.startDate)
      : compare(a.endDate ?? "9999", b.endDate ?? "9999") || compare(b.startDate, a.startDate)) ||
    compare(a.id, b.id);
}

function matcherOf(
  { statuses, formats, projectTypes, text }: Selection,
): (event: Event) => boolean {
  const words = plain(text).split(" ").filter((word) => word !== "");
  return (event) =>
    (statuses.length === 0 || statuses.includes(event.status)) &&
    // An event that is both matches either format.
    (formats.length === 0 || (event.format !== null && (formats.includes(event.format) ||
      event.format === "both"))) &&
    (projectTypes.length === 0 || event.projectTypes.some((type) => projectTypes.includes(type))) &&
    words.every((word) => searchText(event).includes(word));
}

/** Without case and accents, so that "malmo" finds "Malmö". */
function plain(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}
