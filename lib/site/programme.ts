/** The programme: which events a page shows, and in what order they lead. */

import type { Catalog, Day, Event } from "../events/mod.ts";
import { isNarrow, type Selection } from "./programme_query.ts";
import { compare } from "../events/browser.ts";

/** The events of a page in the order of the page. */
export interface Programme {
  /** Events that their makers put in front, unless they are over. */
  readonly pinned: readonly Event[];
  readonly ongoing: readonly Event[];
  readonly upcoming: readonly Event[];
  readonly ended: readonly Event[];
  /** All of the selection in one order, where the visitor chose one; the groups are then empty. */
  readonly sorted: readonly Event[];
  /** How many events fit the selection; more than are here if `hiddenEnded` is not 0. */
  readonly count: number;
  /** How many of those that are over are left to a page of their own. */
  readonly hiddenEnded: number;
}

/** How many past events stand below a programme that nobody has narrowed. */
const RECENTLY_ENDED = 12;
/** Events on a page: as many as anybody looks through, in bytes that can be kept. */
export const PAGE_LENGTH = 300;

/** The events of each catalog on the day for which they were last asked. */
const kept = new WeakMap<Catalog, { readonly date: string; readonly events: readonly Event[] }>();
/** The text of each event in which words are looked for. */
const searchable = new WeakMap<Event, string>();

/** Every event by its first day, as it is today; read once per catalog and day. */
export function allEvents(catalog: Catalog, { date }: Day): readonly Event[] {
  const known = kept.get(catalog);
  if (known?.date === date) return known.events;
  const events = catalog.events({ statuses: null, sort: "startDate", order: "asc", limit: null });
  kept.set(catalog, { date, events });
  return events;
}

/** The events of a selection, arranged. */
export function buildProgramme(events: readonly Event[], selection: Selection): Programme {
  const chosen = events.filter(matcherOf(selection));
  const empty = { pinned: [], ongoing: [], upcoming: [], ended: [], sorted: [] };
  const counted = { count: chosen.length, hiddenEnded: 0 };
  const { sort, order } = selection;
  if (sort !== null) {
    const direction = order === "asc" ? 1 : -1;
    const sorted = chosen.toSorted((a, b) =>
      direction * (compare(a[sort], b[sort]) || compare(a.id, b.id))
    );
    return { ...empty, ...counted, sorted };
  }
  const inState = (status: Event["status"]) => chosen.filter((event) => event.status === status);
  const isPinned = (event: Event) => event.pinned && event.status !== "ended";
  const free = (status: Event["status"]) => inState(status).filter((event) => !isPinned(event));
  const ended = inState("ended").toSorted((a, b) => compare(lastDay(b), lastDay(a)));
  const shown = isNarrow(selection) ? ended : ended.slice(0, RECENTLY_ENDED);
  return {
    ...empty,
    pinned: chosen.filter(isPinned).toSorted(byUrgency),
    ongoing: free("ongoing").toSorted(byUrgency),
    upcoming: free("upcoming").toSorted((a, b) => compare(a.startDate, b.startDate)),
    ended: shown,
    count: chosen.length,
    hiddenEnded: ended.length - shown.length,
  };
}

/** Some events of a page under their heading. */
export interface Group {
  readonly id: "pinned" | "now" | "next" | "all" | "past";
  readonly title: string;
  readonly events: readonly Event[];
}

/** Whether a group is shown by small cards. */
export function isSmall({ id }: Group): boolean {
  return id === "past";
}

/** The groups of a programme that have events, in the order of the page. */
function groupsOf(
  { pinned, ongoing, upcoming, sorted, ended }: Programme,
): readonly Group[] {
  const groups: readonly Group[] = [
    { id: "pinned", title: "In front", events: pinned },
    { id: "now", title: "On now", events: ongoing },
    { id: "next", title: "Coming up", events: upcoming },
    { id: "all", title: "Events", events: sorted },
    { id: "past", title: "What was", events: ended },
  ];
  return groups.filter(({ events }) => events.length > 0);
}

/** As much of a programme as one page has room for. */
export interface ProgrammePage {
  readonly groups: readonly Group[];
  /** How many events stand on this page and those before it. */
  readonly until: number;
  /** How many stand on those after it. */
  readonly left: number;
}

/** The page that begins after so many events; the first one if there are no more than these. */
export function pageOf(programme: Programme, from: number): ProgrammePage {
  const groups = groupsOf(programme);
  const all = groups.reduce((sum, { events }) => sum + events.length, 0);
  const begin = from < all ? from : 0;
  const until = Math.min(begin + PAGE_LENGTH, all);
  let before = 0;
  const cut = groups.map((group) => {
    const events = group.events.slice(Math.max(0, begin - before), Math.max(0, until - before));
    before += group.events.length;
    return { ...group, events };
  });
  return { groups: cut.filter(({ events }) => events.length > 0), until, left: all - until };
}

/** What one is told at the door. */
export function greetingOf({ pinned, ongoing, upcoming }: Programme, selection: Selection): string {
  const all = [...pinned, ...ongoing, ...upcoming];
  const now = all.filter(({ status }) => status === "ongoing").length;
  const soon = all.length - now;
  if (isNarrow(selection) || all.length === 0) {
    return "Look around, and stay where you like it.";
  }
  if (now === 0) {
    return `Nothing is on today, but ${soon} ${soon === 1 ? "event is" : "are"} on the way.`;
  }
  const open = `${now === 1 ? "One thing is" : `${now} things are`} on right now`;
  return soon === 0
    ? `${open}. Come in.`
    : `${open}, and ${soon} more ${soon === 1 ? "is" : "are"} on the way. Come in.`;
}

/** The events around one. */
export interface Neighbours {
  readonly previous: Event | null;
  readonly next: Event | null;
}

/** The events before and after one, by their first day. */
export function neighbours(events: readonly Event[], { id }: Event): Neighbours {
  const at = events.findIndex((event) => event.id === id);
  return { previous: events[at - 1] ?? null, next: at === -1 ? null : events[at + 1] ?? null };
}

/** What is on now before what comes; what ends soon before what stays. */
function byUrgency(a: Event, b: Event): number {
  return Number(a.status === "upcoming") - Number(b.status === "upcoming") ||
    (a.status === "upcoming"
      ? compare(a.startDate, b.startDate)
      : compare(a.endDate ?? "9999", b.endDate ?? "9999") || compare(b.startDate, a.startDate)) ||
    compare(a.id, b.id);
}

function lastDay({ startDate, endDate }: Event): string {
  return endDate ?? startDate;
}

function matcherOf(
  { statuses, formats, projectTypes, text }: Selection,
): (event: Event) => boolean {
  const words = plain(text).split(" ").filter((word) => word !== "");
  return (event) =>
    (statuses.length === 0 || statuses.includes(event.status)) &&
    // Whoever looks for online events finds those that are both, and so for in person.
    (formats.length === 0 || (event.format !== null && (formats.includes(event.format) ||
      event.format === "both"))) &&
    (projectTypes.length === 0 || event.projectTypes.some((type) => projectTypes.includes(type))) &&
    (words.length === 0 || hasWords(event, words));
}

function hasWords(event: Event, words: readonly string[]): boolean {
  let text = searchable.get(event);
  if (text === undefined) {
    text = plain(`${event.name} ${event.description ?? ""}`);
    searchable.set(event, text);
  }
  return words.every((word) => text.includes(word));
}

/** Without case and accents, so that "malmo" finds "Malmö". */
function plain(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}
