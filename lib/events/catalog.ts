/**
 * The catalog: a snapshot made ready for responses. Finding, filtering and sorting use the index. A response is
 * assembled from the events' bodies, and kept for the next request.
 */

import { joinBytes } from "../platform/bytes.ts";
import { digestOf } from "../platform/digest.ts";
import { memoize } from "../platform/memoize.ts";
import { LRUCache } from "lru-cache";
import {
  createRepresentation,
  type HeaderFields,
  type Representation,
} from "../platform/http/representation.ts";
import { matcherOf, textMatcherOf } from "./match.ts";
import type { FormerEvent, Revision } from "./history.ts";
import { canonicalLink, type Event, eventLinks, type StoredEvent } from "./model.ts";
import { LIST_DEFAULTS, type ListQuery, type ParsedQuery } from "./query.ts";
import {
  bodyEnd,
  changesSince,
  createBodyReader,
  decodeBody,
  type IndexedEvent,
  type Snapshot,
  type SnapshotMeta,
} from "./snapshot.ts";
import {
  changesAfter,
  compare,
  type Dated,
  type Day,
  dayAt,
  MAX_AGE_MILLISECONDS,
  type SortField,
  statusOn,
} from "./values.ts";

/** A representation of events, and the time until which it is correct (epoch milliseconds). */
export interface CatalogResponse {
  readonly representation: Representation;
  /** The end of the day if the status of one of its events changes then, otherwise Infinity. */
  readonly endsAt: number;
}

/** A snapshot made ready for responses. The day of a request decides the status of events. */
export type Catalog = ReturnType<typeof createCatalog>;

/** A stored event and its version. */
export type RevisedEvent = StoredEvent & Revision;

/** Events that a feed is made of. */
export interface ChosenEvents {
  readonly events: readonly RevisedEvent[];
  /** The events of the same filter that were withdrawn in the last 30 days; a limit does not count them. */
  readonly withdrawn: readonly FormerEvent[];
  /** The time until which this choice is correct (epoch milliseconds). */
  readonly endsAt: number;
}

/** The dependencies of a catalog besides the snapshot. */
export interface CatalogOptions {
  readonly timeZone: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Until when a snapshot is known to be right (epoch milliseconds); until its read began, unless given. */
  readonly rightUntilOf?: (meta: SnapshotMeta) => number;
}

/**
 * How long a client may cache a response with notifications, so that it shows an edit about as soon as the service
 * does.
 */
const NOTIFIED_MAX_AGE_MILLISECONDS = 60_000;
/** Bytes of representations that one catalog keeps, compressed copies included. */
const MAX_PREPARED_BYTES = 40 * 1024 * 1024;
/** The same for searches, days and times: their number has no limit, and they must not displace the rest. */
const MAX_SEARCHED_BYTES = 8 * 1024 * 1024;
const JSON_TYPE = "application/json";
const LIST_PATH = "/api/v1/events";

const encoder = new TextEncoder();

/** Makes a snapshot ready for responses, in one pass over the index. The rest is made when it is first needed. */
export function createCatalog(snapshot: Snapshot, options: CatalogOptions) {
  const { timeZone, baseUrl, now } = options;
  const generatedAt = new Date(snapshot.meta.readAt).toISOString();
  const entries = snapshot.events;
  const bodyOf = createBodyReader(snapshot);
  const prepared = createResponseCache(MAX_PREPARED_BYTES);
  const searched = createResponseCache(MAX_SEARCHED_BYTES);
  /** Events as values, by their entries; each is decoded when it is first needed. */
  const values = valuesOf(entries);
  let today: Day = { date: "", next: "", endsAt: -Infinity };
  /** When `today` was determined: an earlier time means that the clock was set back. */
  let todaySince = Infinity;
  /** Computed when first needed. */
  let calledOff: readonly FormerEvent[] | null = null;

  /** Today in the events' time zone. A new day discards the prepared responses, because statuses change. */
  function day(): Day {
    const at = now();
    if (at < today.endsAt && at >= todaySince) return today;
    today = dayAt(at, timeZone);
    todaySince = at;
    prepared.clear();
    searched.clear();
    return today;
  }

  function select(
    query: ListQuery,
    isWanted = (_entry: IndexedEvent) => true,
  ): readonly IndexedEvent[] {
    const { sort, order, limit } = query;
    const ascending = sortedBy[sort](entries);
    const inOrder = order === "asc" ? ascending : ascending.toReversed();
    const { date } = day();
    const matches = matcherOf(query);
    const hasWords = textMatcherOf(query);
    const matching = inOrder.filter((entry) =>
      matches(entry, statusOn(entry, date)) && isWanted(entry) &&
      // Only a search reads descriptions, for which events must be decoded.
      (query.text === "" || hasWords(eventOf(entry)))
    );
    return limit === null ? matching : matching.slice(0, limit);
  }

  const find = (idOrSlug: string) => byId(entries).get(idOrSlug) ?? bySlug(entries).get(idOrSlug);

  /** The events that were withdrawn before they ended. Removing an ended event cancels nothing. */
  function calledOffEvents(): readonly FormerEvent[] {
    return calledOff ??= snapshot.former.filter((event) =>
      event.withdrawn && statusOn(event, dayAt(event.goneAt, timeZone).date) !== "ended"
    );
  }

  function findWithdrawn(idOrSlug: string): FormerEvent | undefined {
    const withdrawn = calledOffEvents();
    return withdrawn.find(({ id }) => id === idOrSlug) ??
      withdrawn.find(({ slug }) => slug === idOrSlug);
  }

  function eventOf(entry: IndexedEvent): Event {
    const known = values.get(entry);
    const status = statusOn(entry, day().date);
    if (known?.status === status) return known;
    const event = { ...(known ?? decodeBody(bodyOf(entry))), status };
    values.set(entry, event);
    return event;
  }

  function revisedEvent(entry: IndexedEvent): RevisedEvent {
    const { changedAt, sequence, facts } = entry;
    return { ...decodeBody(bodyOf(entry)), changedAt, sequence, facts };
  }

  /** `{"data": …, "meta": …}`; the entity tag covers the data alone. */
  function represent(
    open: string,
    chosen: readonly IndexedEvent[],
    close: string,
    { headers, tagged: first = open }: { headers?: HeaderFields; tagged?: string },
  ): Representation {
    const { date } = day();
    const parts = [encoder.encode(open)];
    let tagged = first;
    for (const [at, entry] of chosen.entries()) {
      const status = statusOn(entry, date);
      parts.push(bodyOf(entry), bodyEnd(status, at < chosen.length - 1));
      tagged += entry.digest + status;
    }
    parts.push(encoder.encode(close));
    return createRepresentation({
      contentType: JSON_TYPE,
      etag: `W/"${digestOf(tagged)}"`,
      ...headers !== undefined && { headers },
      bytes: joinBytes(parts),
    });
  }

  /**
   * The response that was prepared under a key today, otherwise a new one.
   *
   * @param query the query that it answers: those whose number has no limit leave room for the others.
   */
  function prepare(
    key: string,
    make: () => CatalogResponse,
    query: ListQuery = LIST_DEFAULTS,
  ): CatalogResponse {
    day();
    const responses = isOpen(query) ? searched : prepared;
    const known = responses.get(key);
    if (known !== undefined) return known;
    const response = make();
    responses.set(key, response);
    return response;
  }

  function list(query: ParsedQuery): CatalogResponse {
    const { canonicalSearch } = query;
    return prepare(`list ${canonicalSearch}`, () => {
      const chosen = select(query);
      const link = canonicalLink(baseUrl, LIST_PATH + canonicalSearch);
      const meta = `"meta":{"count":${chosen.length},"generatedAt":"${generatedAt}"}`;
      return {
        representation: represent(`{"data":[`, chosen, `],${meta}}`, { headers: { link } }),
        // With a filter, an event that is not in the list may enter it.
        endsAt: endOfDayIfChanging(query.statuses.length === 0 ? chosen : entries),
      };
    }, query);
  }

  function listChanges(query: ParsedQuery, since: number): CatalogResponse {
    const { key, includes, gone } = changesSince(snapshot, since, day().date, timeZone);
    return prepare(`changes ${key} ${query.canonicalSearch}`, () => {
      const chosen = select(query, includes);
      const unlimited = new Set(select({ ...query, limit: null }, includes));
      // An event that a filter no longer chooses is gone from the consumer's list.
      const left = entries.filter((entry) => includes(entry) && !unlimited.has(entry))
        .map(({ id }) => id);
      const withdrawn = JSON.stringify(gone && [...left, ...gone]);
      const meta = `"count":${chosen.length},"generatedAt":"${generatedAt}"`;
      const close = `],"meta":{${meta},"withdrawn":${withdrawn}}}`;
      return {
        representation: represent(`{"data":[`, chosen, close, { tagged: withdrawn }),
        endsAt: endOfDayIfChanging(entries),
      };
    }, query);
  }

  function endOfDayIfChanging(some: readonly Dated[]): number {
    const current = day();
    return some.some((entry) => changesAfter(entry, current)) ? current.endsAt : Infinity;
  }

  return {
    snapshot,
    /** The service's own address, without a trailing slash. */
    baseUrl,
    /** The time zone of the events' days. */
    timeZone,
    /** The list of events. */
    list: (query: ParsedQuery): CatalogResponse =>
      query.changedSince === null ? list(query) : listChanges(query, query.changedSince),
    /** One event by its id, else by its slug; null if there is none. */
    item(idOrSlug: string): CatalogResponse | null {
      const entry = find(idOrSlug);
      if (entry === undefined) return null;
      return prepare(`item ${entry.id}`, () => ({
        representation: represent(
          `{"data":`,
          [entry],
          `,"meta":{"generatedAt":"${generatedAt}"}}`,
          { headers: { link: eventLinks(decodeBody(bodyOf(entry)), baseUrl) } },
        ),
        endsAt: endOfDayIfChanging([entry]),
      }));
    },
    /** The events of a query as values, for pages. */
    events: (query: ListQuery): Event[] => select(query).map(eventOf),
    /** One event as a value, found as `item` finds it. */
    event(idOrSlug: string): Event | null {
      const entry = find(idOrSlug);
      return entry === undefined ? null : eventOf(entry);
    },
    /** The current slug of the event that last had this slug; null if no event had it, or one has it now. */
    slugOfRenamed: (slug: string): string | null => byFormerSlug(entries).get(slug)?.slug ?? null,
    /** The events of a query for a feed, and the withdrawn ones. */
    choose(query: ListQuery): ChosenEvents {
      const { date } = day();
      const matches = matcherOf(query);
      const hasWords = textMatcherOf(query);
      const withdrawn = calledOffEvents();
      return {
        events: select(query).map(revisedEvent),
        withdrawn: withdrawn.filter((event) =>
          matches(event, statusOn(event, date)) &&
          // Its description is no longer known.
          hasWords({ name: event.name, description: null })
        ),
        // Feeds show no status, but a filter depends on it.
        endsAt: query.statuses.length === 0
          ? Infinity
          : endOfDayIfChanging([...entries, ...withdrawn]),
      };
    },
    /** One event, present, withdrawn or renamed, for a feed; null if there is none. */
    chooseOne(idOrSlug: string): ChosenEvents | null {
      const entry = find(idOrSlug) ?? byFormerSlug(entries).get(idOrSlug);
      const former = entry === undefined ? findWithdrawn(idOrSlug) : undefined;
      if (entry === undefined && former === undefined) return null;
      return {
        events: entry === undefined ? [] : [revisedEvent(entry)],
        withdrawn: former === undefined ? [] : [former],
        endsAt: Infinity,
      };
    },
    day,
    prepare,
    /**
     * How many seconds a client may keep something made from this catalog: data may lag by five minutes in all (295 s
     * by the clock of this isolate), and a status changes at midnight. With notifications, a
     * minute at most.
     *
     * @param endsAt the time until which it is correct (epoch milliseconds); Infinity if no midnight changes it.
     */
    maxAge(endsAt: number): number {
      const at = now();
      const { readAt, hookId } = snapshot.meta;
      const rightUntil = options.rightUntilOf?.(snapshot.meta) ?? readAt;
      const freshUntil = Math.min(rightUntil, at) + MAX_AGE_MILLISECONDS;
      const longest = hookId === undefined ? Infinity : NOTIFIED_MAX_AGE_MILLISECONDS;
      const left = Math.min(freshUntil - at, endsAt - at, longest);
      return Math.max(0, Math.floor(left / 1_000));
    },
  };
}

function createResponseCache(maxSize: number): LRUCache<string, CatalogResponse> {
  return new LRUCache({
    maxSize,
    // Leaves room for the compressed copies that are made later. A representation larger than the cache fills it
    // alone, because preparing it for each request would take more memory.
    sizeCalculation: ({ representation }) => Math.min(maxSize, 2 * representation.size() + 500),
  });
}

/** Whether there are any number of queries like this one. */
function isOpen({ text, from, to, year, changedSince }: ListQuery): boolean {
  return text !== "" || from !== null || to !== null || year !== null || changedSince !== null;
}

// What follows from the events alone is computed when it is first needed. A read that finds nothing new keeps it.

type Events = readonly IndexedEvent[];

/** The events that were decoded, with a status that they had. */
const valuesOf = memoize((_events: Events) => new Map<IndexedEvent, Event>());
const byId = memoize((events: Events) => new Map(events.map((event) => [event.id, event])));
const bySlug = memoize((events: Events) => new Map(events.map((event) => [event.slug, event])));
const byFormerSlug = memoize((events: Events) =>
  new Map(events.flatMap((event) => (event.formerSlugs ?? []).map((slug) => [slug, event])))
);

/** Events in ascending order. */
const sortedBy = {
  startDate: orderedBy("startDate"),
  announcedAt: orderedBy("announcedAt"),
  name: orderedBy("name"),
};

function orderedBy(field: SortField): (events: Events) => Events {
  return memoize((events: Events) =>
    events.toSorted((a, b) => compare(a[field], b[field]) || compare(a.id, b.id))
  );
}
