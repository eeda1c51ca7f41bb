/**
 * The history of events. Subscribers' programs must learn when an event changed, how often its days did
 * (SEQUENCE; RFC 5545, section 3.8.7.4), and which events are gone; an old address must still lead to its
 * event. It cannot be read again, so it has a stored value of its own, which every version of the service continues.
 */

import { mapInSlices } from "../../platform/timeout.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";
import type { ColumnCounts } from "../reading/loss.ts";
import type { Dated } from "../days.ts";
import { compare, type EventFormat, type ProjectType } from "../values.ts";

/** Which version of an event this is. */
export interface Revision {
  /** Epoch milliseconds at which the read with the last change began. */
  readonly changedAt: number;
  /** Rises when the days change, and when the event is withdrawn or comes back. */
  readonly sequence: number;
  /** The digest of all facts. */
  readonly facts: string;
  /**
   * Epoch milliseconds at which the read began that had it again after it was gone; absent if it never was. Its facts
   * may be the same as before, but consumers have deleted it meanwhile.
   */
  readonly returnedAt?: number;
  /** Its former slugs that no event has had since, the last one first; absent if there are none. */
  readonly formerSlugs?: readonly string[];
}

/** The facts of an event that a calendar needs to cancel it. */
export interface CalendarEntry extends Dated {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** The days on which people meet, if they differ from the event's own. */
  readonly meeting: Dated | null;
}

/** The facts that filters examine, besides the days and the texts. */
export interface Facets {
  readonly format: EventFormat | null;
  readonly projectTypes: readonly ProjectType[];
  readonly pinned: boolean;
  /** The text of its place; absent without one. */
  readonly location?: string;
}

interface RevisedEntry extends CalendarEntry, Facets, Revision {}

/** An event of an earlier read, as it was then except for its sequence. */
export interface FormerEvent extends RevisedEntry {
  /** Epoch milliseconds at which the first read without it began. */
  readonly goneAt: number;
  /** False while its record exists but is invalid: a typo cancels no event. */
  readonly withdrawn: boolean;
}

/** The stored history. Members that a newer version added are kept. */
export interface History {
  /** Epoch milliseconds of the first read, since which every event that is gone or has returned is known. */
  readonly since: number;
  /** Epoch milliseconds of the last read that found a change. */
  readonly changedAt: number;
  /** The digest of the records' problems. */
  readonly problems: string;
  /** Ordered by their ids. */
  readonly events: readonly RevisedEntry[];
  /** The events that are gone, the latest first. */
  readonly former: readonly FormerEvent[];
  /** The counts with which the columns of the next read are compared. */
  readonly columns?: ColumnCounts;
}

/** How long a former event is kept: a calendar that is refreshed once a month still learns of it. */
export const KEPT_MILLISECONDS = 30 * DAY_MILLISECONDS;
/** The most events that the service is designed for; a store that is emptied repeatedly must not exceed it. */
export const MAX_FORMER = 10_000;
/** An event that is renamed more often keeps its latest addresses. */
const MAX_FORMER_SLUGS = 8;

/** Events by their ids. */
export function indexById<T extends { readonly id: string }>(events: readonly T[]): Map<string, T> {
  return new Map(events.map((event) => [event.id, event]));
}

/**
 * Continues a history with a read. Without any change, it is the same object, and so is each unchanged event.
 *
 * @param past null before the first read.
 * @param found the events of the read, as if no read had had them before.
 * @param unreadable the ids of invalid records.
 * @param problems the digest of the records' problems.
 * @param readAt epoch milliseconds at which the read began.
 * @param columns the counts with which the next read is compared.
 */
export async function continueHistory(
  past: History | null,
  found: readonly RevisedEntry[],
  { unreadable, problems, readAt, columns }: {
    readonly unreadable: ReadonlySet<string>;
    readonly problems: string;
    readonly readAt: number;
    readonly columns: ColumnCounts;
  },
): Promise<History> {
  const known = indexById(past?.events ?? []);
  const gone = indexById(past?.former ?? []);
  const present = new Set(found.map(({ id }) => id));
  const slugs = new Set(found.map(({ slug }) => slug));

  function revise(entry: RevisedEntry): RevisedEntry {
    const former = gone.get(entry.id);
    const before = known.get(entry.id) ?? former;
    if (before === undefined) return entry;
    // An old address leads to the event that had it last.
    const formerSlugs = [before.slug, ...before.formerSlugs ?? []]
      .filter((slug) => !slugs.has(slug)).slice(0, MAX_FORMER_SLUGS);
    const isSame = before.facts === entry.facts;
    const isPlaced = before.location === entry.location;
    const keepsSlugs = formerSlugs.length === (before.formerSlugs?.length ?? 0);
    if (former === undefined && isSame && isPlaced && keepsSlugs) return before;
    const isBack = former?.withdrawn ?? false;
    const isChanged = isBack || !isSame;
    const rises = isBack || isChanged && daysOf(before) !== daysOf(entry);
    const { formerSlugs: _slugs, location: _place, goneAt: _at, withdrawn: _is, ...kept }:
      & RevisedEntry
      & Partial<FormerEvent> = before;
    return {
      ...kept,
      ...entry,
      changedAt: isChanged ? readAt : before.changedAt,
      sequence: rises ? before.sequence + 1 : before.sequence,
      ...former !== undefined && { returnedAt: readAt },
      ...formerSlugs.length > 0 && { formerSlugs },
    };
  }

  /** An event that this read lacks. */
  function leave(event: RevisedEntry): FormerEvent {
    const withdrawn = !unreadable.has(event.id);
    const { returnedAt: _returnedAt, formerSlugs = [], ...kept } = event;
    const free = formerSlugs.filter((slug) => !slugs.has(slug));
    return {
      ...kept,
      ...free.length > 0 && { formerSlugs: free },
      sequence: withdrawn ? event.sequence + 1 : event.sequence,
      goneAt: readAt,
      withdrawn,
    };
  }

  const events = await mapInSlices(found, revise);
  const leaving = [...known.values()].filter(({ id }) => !present.has(id)).map(leave);
  const left = [...gone.values()].filter(({ id }) => !present.has(id))
    .map((event) => event.withdrawn || unreadable.has(event.id) ? event : leave(event))
    .filter(({ goneAt }) => readAt - goneAt < KEPT_MILLISECONDS);
  const former = [...leaving, ...left]
    .toSorted((a, b) => b.goneAt - a.goneAt || compare(a.id, b.id))
    .slice(0, MAX_FORMER);
  const isSame = past !== null && past.problems === problems &&
    haveSameItems(past.events, events) && haveSameItems(past.former, former);
  if (isSame) {
    return JSON.stringify(past.columns) === JSON.stringify(columns) ? past : { ...past, columns };
  }
  const since = past?.since ?? readAt;
  return { ...past, since, changedAt: readAt, problems, events, former, columns };
}

/** Whether two lists have the same objects in the same order. */
export function haveSameItems<T>(some: readonly T[], others: readonly T[]): boolean {
  return some.length === others.length && some.every((item, at) => item === others[at]);
}

function daysOf({ startDate, endDate, meeting }: CalendarEntry): string {
  return JSON.stringify([startDate, endDate, meeting?.startDate, meeting?.endDate]);
}
