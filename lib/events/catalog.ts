/** The catalog: a snapshot made ready for responses. A list is made of the bytes of its events. */

import { joinBytes } from "../platform/bytes.ts";
import { digestOf } from "../platform/digest.ts";
import { type Cache, createCache } from "../platform/cache.ts";
import { memoize, memoizeLast } from "../platform/memoize.ts";
import type { Platform } from "../platform/platform.ts";
import { mapInSlices } from "../platform/timeout.ts";
import {
  type Content,
  createRepresentation,
  type Representation,
  roomOf,
} from "../platform/http/representation.ts";
import { makeInTurn } from "../platform/http/wire.ts";
import { dependsOnDay } from "./filter.ts";
import { changesSince } from "./changes.ts";
import { matcherOf } from "./match.ts";
import type { FormerEvent } from "./keeping/history.ts";
import { canonicalLink, type Event, eventLinks, withStatus } from "./model.ts";
import { hintOfPlaces, namesOfPlaces } from "./places.ts";
import type { ListQuery, ParsedQuery } from "./query.ts";
import type { KeptEvent, Snapshot } from "./keeping/snapshot.ts";
import { type Dated, type Day, dayAt, statusOn } from "./days.ts";
import { compare, compareNames, MAX_AGE_MILLISECONDS, type SortField } from "./values.ts";

/** A representation of events, and the time until which it is correct (epoch milliseconds). */
export interface CatalogResponse {
  readonly representation: Representation;
  /** The end of the day if the status of one of its events changes then, otherwise Infinity. */
  readonly endsAt: number;
}

/** A snapshot made ready for responses. The day of a request decides the status of events. */
export type Catalog = ReturnType<typeof createCatalog>;

/** A stored event and its version. */
export type RevisedEvent = Omit<KeptEvent, "held">;

/** Events that a feed is made of. */
export interface ChosenEvents {
  readonly events: readonly RevisedEvent[];
  /** The events of the same filter that were withdrawn in the last 30 days; a limit does not count them. */
  readonly withdrawn: readonly FormerEvent[];
  /** The time until which this choice is correct (epoch milliseconds). */
  readonly endsAt: number;
}

/** The dependencies of a catalog besides the snapshot. */
export interface CatalogOptions extends Pick<Platform, "now"> {
  readonly timeZone: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Where the events come from: a base's id, or a file's. */
  readonly origin: string;
  /** Until when the snapshot is known to be right (epoch milliseconds), if that is later than its read. */
  readonly rightUntil?: () => number;
  /** Outlives the catalog: what a read that found nothing new does not change. */
  readonly documents?: Documents;
}

/** Feeds, calendars and the sitemap, by their addresses. */
type Documents = Cache<CatalogResponse>;

/**
 * How long a client may cache a response with notifications, so that it shows an edit about as soon as the service
 * does.
 */
const NOTIFIED_MAX_AGE_MILLISECONDS = 60_000;
/** Bytes of the lists and events that one catalog keeps, compressed copies included. */
const MAX_KEPT_BYTES = 48 * 1024 * 1024;
/** The same for documents, which outlive it. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
const JSON_TYPE = "application/json";
const LIST_PATH = "/api/v1/events";

const encoder = new TextEncoder();

/** Each event as it was last shown: a snapshot keeps the events that have not changed. */
const shownAs = memoizeLast<KeptEvent, Event>();

function show(event: KeptEvent, date: string): Event {
  const status = statusOn(event, date);
  return shownAs(event, status, () => withStatus(event, status));
}

interface EventJson {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly digest: string;
}

const jsonOf = memoize((event: Event): EventJson => {
  const bytes = encoder.encode(JSON.stringify(event));
  return { bytes, digest: digestOf(bytes) };
});

const keepResponses = (maxBytes: number): Documents =>
  createCache(maxBytes, ({ representation }) => roomOf(representation));

/** Makes the cache of documents. */
export const createDocuments = (): Documents => keepResponses(MAX_DOCUMENT_BYTES);

/** Makes a snapshot ready for responses, each answer when it is first needed. */
export function createCatalog(snapshot: Snapshot, options: CatalogOptions) {
  const { timeZone, baseUrl, origin, now, documents = createDocuments() } = options;
  const { events: entries, meta: { readAt, changedAt, hookId } } = snapshot;
  const generatedAt = new Date(readAt).toISOString();
  const byId = new Map(entries.map((event) => [event.id, event]));
  const bySlug = new Map(entries.map((event) => [event.slug, event]));
  const formerVersion = digestOf(JSON.stringify(snapshot.former));
  const version = `${origin} ${changedAt} ${versionOf(entries)} ${formerVersion}`;
  /** Answers that say when the events were read; each is made for a day. */
  const responses = keepResponses(MAX_KEPT_BYTES);
  let today: Day = { date: "", next: "", endsAt: -Infinity };
  /** When `today` was determined: an earlier time means that the clock was set back. */
  let todaySince = Infinity;
  /** Until when the snapshot is known to be right (epoch milliseconds). */
  const rightUntil = () => Math.max(readAt, options.rightUntil?.() ?? 0);
  /** Computed when first needed. */
  let calledOff: readonly FormerEvent[] | null = null;

  /** Today in the events' time zone. */
  function day(): Day {
    const at = now();
    if (at < today.endsAt && at >= todaySince) return today;
    today = dayAt(at, timeZone);
    todaySince = at;
    return today;
  }

  function select(
    query: ListQuery,
    isWanted = (_event: KeptEvent) => true,
  ): readonly KeptEvent[] {
    const { sort, order, limit } = query;
    const ascending = sortedBy[sort](entries);
    const inOrder = order === "asc" ? ascending : ascending.toReversed();
    const { date } = day();
    const matches = matcherOf(query, date);
    const matching = inOrder.filter((event) =>
      isWanted(event) && matches(show(event, date), statusOn(event, date))
    );
    return limit === null ? matching : matching.slice(0, limit);
  }

  /** Ids are case-sensitive, and come first. */
  const find = (idOrSlug: string) =>
    byId.get(idOrSlug) ?? bySlug.get(idOrSlug) ?? bySlug.get(idOrSlug.toLowerCase());

  /** The event that last had this slug. */
  const findRenamed = (slug: string) => {
    const had = (name: string) =>
      entries.findLast(({ formerSlugs }) => formerSlugs?.includes(name));
    return had(slug) ?? had(slug.toLowerCase());
  };

  /** The events that were withdrawn before they ended. Removing an ended event cancels nothing. */
  function calledOffEvents(): readonly FormerEvent[] {
    return calledOff ??= snapshot.former.filter((event) =>
      event.withdrawn && statusOn(event, dayAt(event.goneAt, timeZone).date) !== "ended"
    );
  }

  function findWithdrawn(idOrSlug: string): FormerEvent | undefined {
    const withdrawn = calledOffEvents();
    return withdrawn.find(({ id }) => id === idOrSlug) ??
      withdrawn.find(({ slug }) => slug === idOrSlug) ??
      withdrawn.find(({ slug }) => slug === idOrSlug.toLowerCase());
  }

  const eventOf = (event: KeptEvent): Event => show(event, day().date);

  /** `{"data": …, "meta": …}`; the entity tag covers `tagged` and the events, not the meta data. */
  function represent(
    open: string,
    chosen: readonly EventJson[],
    close: string,
    { tagged = open, ...more }:
      & Pick<Content, "headers" | "isOneOfMany">
      & { readonly tagged?: string },
  ): Representation {
    const tag = digestOf(tagged + chosen.map(({ digest }) => digest).join(""));
    const parts = [encoder.encode(open)];
    for (const [at, { bytes }] of chosen.entries()) parts.push(...at > 0 ? [COMMA] : [], bytes);
    parts.push(encoder.encode(close));
    return createRepresentation({
      contentType: JSON_TYPE,
      etag: `W/"${tag}"`,
      bytes: joinBytes(parts),
      ...more,
    });
  }

  /** The answer of a list: its events, and for changes the ids of those that are gone. */
  function answerOf(query: ParsedQuery) {
    const { changedSince } = query;
    if (changedSince === null) {
      const chosen = select(query);
      // With a filter, an event that is not in the list may enter it.
      return { chosen, endsAt: endOfChoice(query, chosen), withdrawn: null };
    }
    const { includes, gone } = changesSince(snapshot, query, changedSince, day().date, timeZone);
    const chosen = select(query, includes);
    const unlimited = new Set(select({ ...query, limit: null }, includes));
    // An event that a filter no longer chooses is gone from the consumer's list.
    const left = entries.filter((event) => includes(event) && !unlimited.has(event))
      .map(({ id }) => id);
    const withdrawn = JSON.stringify(gone && [...left, ...gone]);
    return { chosen, endsAt: endOfChoice(query, entries), withdrawn };
  }

  /** The hint about the places of a list without events; null if some event has one of them. */
  function hintOf({ places }: ListQuery): string | null {
    if (places.length === 0) return null;
    return hintOfPlaces(places, namesOfPlaces(entries.map((event) => show(event, day().date))));
  }

  async function makeList(query: ParsedQuery): Promise<CatalogResponse> {
    const { canonicalSearch, changedSince } = query;
    const { date } = day();
    const { chosen, endsAt, withdrawn } = answerOf(query);
    // Requests are served while the JSON of events is made that no list had before.
    const shown = await mapInSlices(chosen, (event) => jsonOf(show(event, date)));
    const hint = chosen.length === 0 && withdrawn === null ? hintOf(query) : null;
    const meta = `"count":${shown.length},"generatedAt":"${generatedAt}"`;
    const more = (withdrawn === null ? "" : `,"withdrawn":${withdrawn}`) +
      (hint === null ? "" : `,"hint":${JSON.stringify(hint)}`);
    const link = canonicalLink(baseUrl, LIST_PATH + canonicalSearch);
    const close = `],"meta":{${meta}${more}}}`;
    const representation = represent(`{"data":[`, shown, close, {
      tagged: `${withdrawn ?? `{"data":[`}${hint ?? ""}`,
      headers: changedSince === null ? { link } : {},
      isOneOfMany: !isWhole(query),
    });
    return { representation, endsAt };
  }

  function endOfDayIfChanging(some: readonly Dated[]): number {
    const { date, next, endsAt } = day();
    const isChanging = (event: Dated) => statusOn(event, date) !== statusOn(event, next);
    return some.some(isChanging) ? endsAt : Infinity;
  }

  /** The same for a filter's choice, which shows the status of some events. */
  function endOfChoice(query: ListQuery, shown: readonly Dated[]): number {
    if (query.periods.length > 0) return day().endsAt;
    return endOfDayIfChanging(query.statuses.length === 0 ? shown : [...shown, ...entries]);
  }

  return {
    snapshot,
    /** The service's own address, without a trailing slash. */
    baseUrl,
    origin,
    /** The time zone of the events' days. */
    timeZone,
    /**
     * The list of events. Changes are kept for nobody: the number of instants has no limit.
     */
    list(query: ParsedQuery): Promise<CatalogResponse> {
      const { canonicalSearch, changedSince } = query;
      const key = `list ${canonicalSearch}${changedSince === null ? "" : `#${changedSince}`}`;
      return responses.get(key, day().date, () => {
        return isWhole(query) ? makeList(query) : makeInTurn(() => makeList(query));
      }, { isKept: changedSince === null });
    },
    /** One event by its id, else by its slug; null if there is none. */
    item(idOrSlug: string): Promise<CatalogResponse> | null {
      const event = find(idOrSlug);
      if (event === undefined) return null;
      return responses.get(`item ${event.id}`, day().date, () => {
        const close = `,"meta":{"generatedAt":"${generatedAt}"}}`;
        const headers = { link: eventLinks(event, baseUrl) };
        return {
          representation: represent(`{"data":`, [jsonOf(eventOf(event))], close, { headers }),
          endsAt: endOfDayIfChanging([event]),
        };
      });
    },
    /** The events of a query as values, for pages. */
    events: (query: ListQuery): Event[] => select(query).map(eventOf),
    /** One event as a value, found as `item` finds it. */
    event(idOrSlug: string): Event | null {
      const event = find(idOrSlug);
      return event === undefined ? null : eventOf(event);
    },
    /** The signed URLs of an event by its id; null if there is none. */
    imagesOf: (id: string): KeptEvent["held"] | null => byId.get(id)?.held ?? null,
    /** The current slug of the event that last had this slug; null if no event had it, or one has it now. */
    slugOfRenamed: (slug: string): string | null => findRenamed(slug)?.slug ?? null,
    /** The name of an event that was withdrawn before it ended, by its id or slug; null if none was. */
    withdrawnName: (idOrSlug: string): string | null => findWithdrawn(idOrSlug)?.name ?? null,
    /**
     * The events of a query for a feed or a calendar, and the withdrawn ones.
     *
     * @param isAnnouncement whether events are left out that are to be announced later.
     */
    choose(query: ListQuery, isAnnouncement = false): ChosenEvents {
      const { date } = day();
      const matches = matcherOf(query, date);
      const withdrawn = calledOffEvents();
      return {
        events: isAnnouncement
          // The next read finds the facts of an event changed when its moment has come.
          ? select(query, ({ announcedAt }) => Date.parse(announcedAt) <= readAt)
          : select(query),
        withdrawn: withdrawn.filter((event) => matches(event, statusOn(event, date))),
        // Feeds show no status, but a filter depends on it.
        endsAt: dependsOnDay(query) ? endOfChoice(query, withdrawn) : Infinity,
      };
    },
    /** One event, present, withdrawn or renamed, for a feed; null if there is none. */
    chooseOne(idOrSlug: string): ChosenEvents | null {
      const event = find(idOrSlug) ?? findRenamed(idOrSlug);
      if (event !== undefined) return { events: [event], withdrawn: [], endsAt: Infinity };
      const former = findWithdrawn(idOrSlug);
      return former === undefined ? null : { events: [], withdrawn: [former], endsAt: Infinity };
    },
    day,
    rightUntil,
    documents,
    /** Changes whenever pages, feeds or calendars would, except at midnight. They show no signed URL. */
    version,
    /** The version of a page that shows these events alone. It stays if only other events change. */
    versionOf: (shown: readonly Event[]) =>
      `${origin} ${versionOf(shown.flatMap(({ id }) => byId.get(id) ?? []))}`,
    /**
     * How many seconds a client may keep something made from this catalog: data may lag by five minutes in all (295 s
     * by the clock of this isolate), and a status changes at midnight. With notifications, a
     * minute at most.
     *
     * @param endsAt the time until which it is correct (epoch milliseconds); Infinity if no midnight changes it.
     */
    maxAge(endsAt: number): number {
      const at = now();
      const freshUntil = Math.min(rightUntil(), at) + MAX_AGE_MILLISECONDS;
      const longest = hookId === undefined ? Infinity : NOTIFIED_MAX_AGE_MILLISECONDS;
      const left = Math.min(freshUntil - at, endsAt - at, longest);
      return Math.max(0, Math.floor(left / 1_000));
    },
  };
}

const COMMA = encoder.encode(",");

/** Whether a query is the one without a query string, whose document is kept. */
export function isWhole({ canonicalSearch, changedSince }: ParsedQuery): boolean {
  return canonicalSearch === "" && changedSince === null;
}

type Events = readonly KeptEvent[];

/** Identifies all facts that pages and feeds show. An image counts by its attachment, because its signed URL changes. */
function versionOf(events: Events): string {
  return digestOf(
    events.map(({ id, facts, changedAt, sequence, returnedAt, formerSlugs }) =>
      [id, facts, changedAt, sequence, returnedAt, formerSlugs].join()
    ).join("\n"),
  );
}

/** Events in ascending order; equal ones by their ids. */
const sortedBy: Readonly<Record<SortField, (events: Events) => Events>> = {
  startDate: orderedBy((a, b) => compare(a.startDate, b.startDate)),
  announcedAt: orderedBy((a, b) => compare(a.announcedAt, b.announcedAt)),
  name: orderedBy((a, b) => compareNames(a.name, b.name)),
};

function orderedBy(order: (a: KeptEvent, b: KeptEvent) => number): (events: Events) => Events {
  return memoize((events: Events) => events.toSorted((a, b) => order(a, b) || compare(a.id, b.id)));
}
