/**
 * What is known of an event's past. The programs of subscribers must know when anything of it changed,
 * how often its days did (SEQUENCE; RFC 5545, section 3.8.7.4), and which events are gone; people with an
 * old address must still find it. Each snapshot carries it on from the one before, so all isolates say the
 * same.
 */

import type { StoredEvent } from "./model.ts";
import { DAY_MILLISECONDS } from "../time.ts";
import type { Dated } from "./status.ts";
import { compare } from "./values.ts";

/** Which version of an event this is. */
export interface Revision {
  /** Epoch milliseconds at which the read began that brought the last change. */
  readonly changedAt: number;
  /** Rises when the days change, and when the event is withdrawn or comes back. */
  readonly sequence: number;
  /** The digest of all facts; "" in a snapshot that was stored before it was kept. */
  readonly facts: string;
  /** The slugs that it had before and no event has had since, the last one first; absent if there are none. */
  readonly formerSlugs?: readonly string[];
}

/** What a calendar must know of an event to take it back. */
export interface CalendarEntry extends Dated {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** The days on which people meet, where they are others than the event's own. */
  readonly meeting: Dated | null;
}

/** An event with its version. */
export interface RevisedEntry extends CalendarEntry, Revision {}

/** An event that was there at an earlier read, as it was then but for its sequence. */
export interface FormerEvent extends RevisedEntry {
  /** Epoch milliseconds at which the read began that missed it first. */
  readonly goneAt: number;
  /** False while its record is still there but cannot be read: a typo cancels nothing. */
  readonly withdrawn: boolean;
}

/** The part of a snapshot that the next one carries on. */
export interface Past {
  readonly events: readonly RevisedEntry[];
  readonly former: readonly FormerEvent[];
}

/** The history of one read. */
interface History {
  /** The version of an event that was read, by its facts' digest. */
  revise(entry: CalendarEntry & { readonly announcedAt: string }, facts: string): Revision;
  /**
   * The events that are gone, those that went last first.
   *
   * @param unreadable the ids of records that are there and cannot be read.
   */
  former(present: ReadonlySet<string>, unreadable: ReadonlySet<string>): readonly FormerEvent[];
}

/** Calendars that look in once a month still learn of it. */
const KEPT_MILLISECONDS = 30 * DAY_MILLISECONDS;
/** As many as the service is made for; a store that is emptied again and again must not fill it. */
const MAX_FORMER = 10_000;

/** Whoever renames an event more often keeps its latest addresses. */
const MAX_FORMER_SLUGS = 8;

/**
 * Carries the history on to a read.
 *
 * @param readAt epoch milliseconds at which the read began.
 * @param slugs those of all events that were read.
 */
export function createHistory(
  past: Past | null,
  readAt: number,
  slugs: ReadonlySet<string>,
): History {
  const known = new Map(past?.events.map((event) => [event.id, event]));
  const gone = new Map(past?.former.map((event) => [event.id, event]));

  /** An event that the last read had and this one has not. */
  function leave(event: RevisedEntry, isUnreadable: boolean): FormerEvent {
    const { id, slug, name, startDate, endDate, meeting, changedAt, sequence, facts } = event;
    return {
      ...{ id, slug, name, startDate, endDate, meeting, changedAt, facts },
      ...formerSlugsOf(event.formerSlugs ?? []),
      sequence: isUnreadable ? sequence : sequence + 1,
      goneAt: readAt,
      withdrawn: !isUnreadable,
    };
  }

  /** The slugs of which none is an event's now: an old address leads to whoever had it last. */
  function formerSlugsOf(before: readonly string[]): Pick<Revision, "formerSlugs"> {
    const free = before.filter((slug) => !slugs.has(slug)).slice(0, MAX_FORMER_SLUGS);
    return free.length === 0 ? {} : { formerSlugs: free };
  }

  return {
    revise(entry, facts) {
      const former = gone.get(entry.id);
      const before = known.get(entry.id) ?? former;
      if (before === undefined) {
        // All that the first read of a store can tell is when the events were announced.
        const changedAt = past === null ? firstChange(entry.announcedAt, readAt) : readAt;
        return { changedAt, sequence: 0, facts };
      }
      const { changedAt, sequence } = before;
      const earlier = formerSlugsOf([before.slug, ...before.formerSlugs ?? []]);
      const isBack = former?.withdrawn ?? false;
      if (!isBack && (before.facts === facts || before.facts === "")) {
        return { changedAt, sequence, facts, ...earlier };
      }
      const rises = isBack || daysOf(before) !== daysOf(entry);
      return { changedAt: readAt, sequence: rises ? sequence + 1 : sequence, facts, ...earlier };
    },
    former(present, unreadable) {
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

/** When an event that nothing else is known of was last changed, as far as anybody can tell. */
export function firstChange(announcedAt: string, readAt: number): number {
  return Math.min(Date.parse(announcedAt), readAt);
}

/** The days on which people meet, if the record has them and they are not the event's own. */
export function meetingDays(
  { inPerson, startDate, endDate }: Pick<StoredEvent, "inPerson" | "startDate" | "endDate">,
): Dated | null {
  if (inPerson === null || inPerson.start === null) return null;
  const { start, end } = inPerson;
  // A last day that nobody has filled in is no other day than the event's.
  if (start === startDate && (end === null || end === endDate)) return null;
  return { startDate: start, endDate: end };
}

function daysOf({ startDate, endDate, meeting }: CalendarEntry): string {
  return JSON.stringify([startDate, endDate, meeting?.startDate, meeting?.endDate]);
}
