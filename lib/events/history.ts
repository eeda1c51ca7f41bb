/**
 * The history of events. Subscribers' programs must learn when an event changed, how often its days did
 * (SEQUENCE; RFC 5545, section 3.8.7.4), and which events are gone; an old address must still lead to its
 * event. Each snapshot continues the history of the one before, so all isolates agree.
 */

import type { StoredEvent } from "./model.ts";
import { DAY_MILLISECONDS } from "../platform/time.ts";
import { compare, type Dated, type EventFormat, type ProjectType } from "./values.ts";

/** Which version of an event this is. */
export interface Revision {
  /** Epoch milliseconds at which the read with the last change began. */
  readonly changedAt: number;
  /** Rises when the days change, and when the event is withdrawn or comes back. */
  readonly sequence: number;
  /** The digest of all facts; "" in a snapshot of an earlier version, which did not store it. */
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
}

/** An event with its version. */
export interface RevisedEntry extends CalendarEntry, Facets, Revision {}

/** An event of an earlier read, as it was then except for its sequence. */
export interface FormerEvent extends RevisedEntry {
  /** Epoch milliseconds at which the first read without it began. */
  readonly goneAt: number;
  /** False while its record exists but is invalid: a typo cancels no event. */
  readonly withdrawn: boolean;
}

/** How long a former event is kept: a calendar that is refreshed once a month still learns of it. */
export const KEPT_MILLISECONDS = 30 * DAY_MILLISECONDS;
/** The most events that the service is designed for; a store that is emptied repeatedly must not exceed it. */
export const MAX_FORMER = 10_000;

/** An event that is renamed more often keeps its latest addresses. */
const MAX_FORMER_SLUGS = 8;

/**
 * Continues the history of the last snapshot with a read.
 *
 * @param past the events that the last snapshot had, and those that were gone, by their ids; null without one.
 * @param readAt epoch milliseconds at which the read began.
 * @param slugs those of all events that were read.
 */
export function createHistory(
  past: {
    readonly known: ReadonlyMap<string, RevisedEntry>;
    readonly gone: ReadonlyMap<string, FormerEvent>;
  } | null,
  readAt: number,
  slugs: ReadonlySet<string>,
) {
  const { known, gone } = past ?? { known: new Map(), gone: new Map() };

  /** An event of the last read that this one lacks. */
  function leave(event: RevisedEntry, isUnreadable: boolean): FormerEvent {
    const { id, slug, name, startDate, endDate, meeting, changedAt, sequence, facts } = event;
    const { format, projectTypes, pinned } = event;
    return {
      ...{ id, slug, name, startDate, endDate, meeting, format, projectTypes, pinned },
      ...{ changedAt, facts },
      ...formerSlugsOf(event.formerSlugs ?? []),
      sequence: isUnreadable ? sequence : sequence + 1,
      goneAt: readAt,
      withdrawn: !isUnreadable,
    };
  }

  /** The slugs that no event has now: an old address leads to the event that had it last. */
  function formerSlugsOf(before: readonly string[]): Pick<Revision, "formerSlugs"> {
    const free = before.filter((slug) => !slugs.has(slug)).slice(0, MAX_FORMER_SLUGS);
    return free.length === 0 ? {} : { formerSlugs: free };
  }

  return {
    /** The version of an event that was read, by its facts' digest. If it is unchanged: the last snapshot's event itself. */
    revise(entry: CalendarEntry & { readonly announcedAt: string }, facts: string): Revision {
      const former = gone.get(entry.id);
      const before = known.get(entry.id) ?? former;
      if (before === undefined) {
        // The first read of a store knows only when the events were announced.
        const changedAt = past === null ? firstChange(entry.announcedAt, readAt) : readAt;
        return { changedAt, sequence: 0, facts };
      }
      const { changedAt, sequence } = before;
      const slugsBefore = formerSlugsOf([before.slug, ...before.formerSlugs ?? []]);
      const isSame = former === undefined && before.facts === facts &&
        slugsBefore.formerSlugs?.length === before.formerSlugs?.length;
      if (isSame) return before;
      const returnedAt = former === undefined ? before.returnedAt : readAt;
      const earlier = {
        ...returnedAt !== undefined && { returnedAt },
        ...slugsBefore,
      };
      const isBack = former?.withdrawn ?? false;
      if (!isBack && (before.facts === facts || before.facts === "")) {
        return { changedAt, sequence, facts, ...earlier };
      }
      const rises = isBack || daysOf(before) !== daysOf(entry);
      return { changedAt: readAt, sequence: rises ? sequence + 1 : sequence, facts, ...earlier };
    },
    /**
     * The events that are gone, the latest first.
     *
     * @param unreadable the ids of invalid records.
     */
    former(
      present: ReadonlySet<string>,
      unreadable: ReadonlySet<string>,
    ): readonly FormerEvent[] {
      const leaving = [...known.values()].filter(({ id }) => !present.has(id))
        .map((event) => leave(event, unreadable.has(event.id)));
      const left = [...gone.values()].filter(({ id }) => !present.has(id))
        .map((event) => event.withdrawn || unreadable.has(event.id) ? event : leave(event, false))
        .filter(({ goneAt }) => readAt - goneAt < KEPT_MILLISECONDS);
      return [...leaving, ...left]
        .toSorted((a, b) => b.goneAt - a.goneAt || compare(a.id, b.id))
        .slice(0, MAX_FORMER);
    },
  };
}

/** The best guess of when an event without a history was last changed. */
export function firstChange(announcedAt: string, readAt: number): number {
  return Math.min(Date.parse(announcedAt), readAt);
}

/** The days on which people meet, if the record has them and they are not the event's own. */
export function meetingDays(
  { inPerson, startDate, endDate }: Pick<StoredEvent, "inPerson" | "startDate" | "endDate">,
): Dated | null {
  if (inPerson === null || inPerson.start === null) return null;
  const { start, end } = inPerson;
  // An empty last day means the event's own.
  if (start === startDate && (end === null || end === endDate)) return null;
  return { startDate: start, endDate: end };
}

function daysOf({ startDate, endDate, meeting }: CalendarEntry): string {
  return JSON.stringify([startDate, endDate, meeting?.startDate, meeting?.endDate]);
}
