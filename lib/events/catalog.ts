/**
 * The catalog: a snapshot made ready for answering. Finding, filtering and sorting use the index; the
 * bytes of an answer are copied together from the events' bodies and kept for the next caller.
 */

import { digestOf } from "../digest.ts";
import { LRUCache } from "lru-cache";
import { createRepresentation, type Representation } from "../http/mod.ts";
import type { FormerEvent, Revision } from "./history.ts";
import type { Event, StoredEvent } from "./model.ts";
import { type ListQuery, normalizeListQuery, parseListQuery } from "./query.ts";
import { type IndexedEvent, type Snapshot } from "./snapshot.ts";
import { changesAfter, type Dated, type Day, dayAt, statusOn } from "./status.ts";
import { compare, type SortField } from "./values.ts";

/** An answer, and until when it is the right one (epoch milliseconds). */
export interface CatalogAnswer {
  readonly representation: Representation;
  /** The end of the day if an event of the answer changes its state then, else never. */
  readonly endsAt: number;
}

/** A snapshot made ready for answering. */
export interface Catalog {
  readonly snapshot: Snapshot;
  /** The service's own address, without a trailing slash. */
  readonly baseUrl: string;
  /** In which the days of events are counted. */
  readonly timeZone: string;
  /**
   * The list of events, as the query string asks.
   *
   * @throws {PublicError} `bad_request` if the query string is not understood.
   */
  list(search: string, now: number): CatalogAnswer;
  /** One event by its id, else by its slug; null if there is none. */
  item(idOrSlug: string, now: number): CatalogAnswer | null;
  /** The events of a query as values, for pages. */
  events(query: ListQuery, now: number): Event[];
  /** One event as a value, found as `item` finds it. */
  event(idOrSlug: string, now: number): Event | null;
  /** The slug of the event that had a slug last; null if none had it, or one has it now. */
  slugOfRenamed(slug: string): string | null;
  /** The events of a query for a document, and those that are gone. */
  choose(query: ListQuery, now: number): ChosenEvents;
  /** One event, here, gone or renamed, for a document; null if there is none. */
  chooseOne(idOrSlug: string, now: number): ChosenEvents | null;
  /** The day of `now`, where the events are. */
  day(now: number): Day;
  /** The answer that was prepared under a key on the day of `now`, else what `make` makes. */
  prepare(key: string, now: number, make: () => CatalogAnswer): CatalogAnswer;
}

/** An event as it is stored, and its version. */
export type RevisedEvent = StoredEvent & Revision;

/** Events that a document is made of. */
export interface ChosenEvents {
  readonly events: readonly RevisedEvent[];
  /** The events that were withdrawn within 30 days, by the same states; no limit counts them. */
  readonly withdrawn: readonly FormerEvent[];
  /** Until when it is the right choice (epoch milliseconds). */
  readonly endsAt: number;
}

/** What a catalog needs to know besides the snapshot. */
export interface CatalogOptions {
  readonly timeZone: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
}

/** An event of the index with the place of its body. */
interface Entry extends IndexedEvent {
  readonly start: number;
}

/** Bytes of prepared answers that one catalog keeps; a compressed copy counts as well. */
const MAX_PREPARED_BYTES = 48 * 1024 * 1024;
const MAX_SEARCHES = 2_000;
const JSON_TYPE = "application/json";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Makes a snapshot ready for answering. Costs one pass over the index. */
export function createCatalog(snapshot: Snapshot, options: CatalogOptions): Catalog {
  const { timeZone, baseUrl } = options;
  const generatedAt = new Date(snapshot.meta.readAt).toISOString();
  let start = 0;
  const entries = snapshot.events.map((event): Entry => {
    const entry = { ...event, start };
    start += event.bytes;
    return entry;
  });
  const bySlug = new Map(entries.map((entry) => [entry.slug, entry]));
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const ascending = new Map<SortField, readonly Entry[]>();
  const prepared = new LRUCache<string, CatalogAnswer>({
    maxSize: MAX_PREPARED_BYTES,
    // With room for the compressed copies that are made later. What is larger than all fills it alone: to
    // make such an answer anew for each request would take more memory than to keep it.
    sizeCalculation: ({ representation }) =>
      Math.min(MAX_PREPARED_BYTES, 2 * representation.size() + 500),
  });
  /** So that a query string seen before is not read again. */
  const keyBySearch = new LRUCache<string, string>({ max: MAX_SEARCHES });
  let today: Day = { date: "", next: "", endsAt: -Infinity };
  let yesterdayEndedAt = Infinity;
  /** Computed when first needed: to do so in each request would cost more than its answer. */
  let calledOff: readonly FormerEvent[] | null = null;
  /** By the slugs that they had before; made when first needed as well. */
  let renamed: ReadonlyMap<string, Entry> | null = null;

  /** Moves to the day of `now`; what was prepared on another day may be wrong on this one. */
  function turnPage(now: number): void {
    if (now < today.endsAt && now >= yesterdayEndedAt) return;
    today = dayAt(now, timeZone);
    yesterdayEndedAt = now;
    prepared.clear();
  }

  function sorted(field: SortField): readonly Entry[] {
    const known = ascending.get(field);
    if (known !== undefined) return known;
    const order = entries.toSorted((a, b) => compare(a[field], b[field]) || compare(a.id, b.id));
    ascending.set(field, order);
    return order;
  }

  function select({ statuses, sort, order, limit }: ListQuery): readonly Entry[] {
    const inOrder = order === "asc" ? sorted(sort) : sorted(sort).toReversed();
    const matching = statuses === null
      ? inOrder
      : inOrder.filter((entry) => statuses.has(statusOn(entry, today.date)));
    return limit === null ? matching : matching.slice(0, limit);
  }

  function bodyOf(entry: Entry): Uint8Array {
    return snapshot.bodies.subarray(entry.start, entry.start + entry.bytes);
  }

  function find(idOrSlug: string): Entry | undefined {
    return byId.get(idOrSlug) ?? bySlug.get(idOrSlug);
  }

  function findRenamed(slug: string): Entry | undefined {
    renamed ??= new Map(
      entries.flatMap((entry) => (entry.formerSlugs ?? []).map((slug) => [slug, entry] as const)),
    );
    return renamed.get(slug);
  }

  /** The events that were withdrawn before they were over: later ones were only tidied away. */
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

  function eventOf(entry: Entry): Event {
    return { ...storedEvent(entry), status: statusOn(entry, today.date) };
  }

  function revisedEvent(entry: Entry): RevisedEvent {
    const { changedAt, sequence, facts } = entry;
    return { ...storedEvent(entry), changedAt, sequence, facts };
  }

  function storedEvent(entry: Entry): StoredEvent {
    return JSON.parse(`${decoder.decode(bodyOf(entry))}}`);
  }

  /** `{"data": …, "meta": …}`; the entity tag covers the data alone. */
  function answerWith(open: string, chosen: readonly Entry[], close: string): Representation {
    const parts: (string | Uint8Array)[] = [open];
    let tagged = open;
    for (const [at, entry] of chosen.entries()) {
      const status = statusOn(entry, today.date);
      parts.push(bodyOf(entry), `,"status":"${status}"}${at < chosen.length - 1 ? "," : ""}`);
      tagged += entry.digest + status;
    }
    parts.push(close);
    return createRepresentation({
      contentType: JSON_TYPE,
      etag: `W/"${digestOf(tagged)}"`,
      bytes: join(parts),
    });
  }

  function prepare(key: string, make: () => CatalogAnswer): CatalogAnswer {
    const known = prepared.get(key);
    if (known !== undefined) return known;
    const answer = make();
    prepared.set(key, answer);
    return answer;
  }

  const endOfDayIfChanging = (some: readonly Dated[]) =>
    some.some((entry) => changesAfter(entry, today)) ? today.endsAt : Infinity;

  return {
    snapshot,
    baseUrl,
    timeZone,
    list(search, now) {
      turnPage(now);
      const known = prepared.get(keyBySearch.get(search) ?? "");
      if (known !== undefined) return known;
      const query = parseListQuery(search);
      const key = `list ${normalizeListQuery(query)}`;
      keyBySearch.set(search, key);
      return prepare(key, () => {
        const chosen = select(query);
        const meta = `"meta":{"count":${chosen.length},"generatedAt":"${generatedAt}"}`;
        return {
          representation: answerWith(`{"data":[`, chosen, `],${meta}}`),
          // With a filter, an event that is not in the answer may enter it.
          endsAt: endOfDayIfChanging(query.statuses === null ? chosen : entries),
        };
      });
    },
    item(idOrSlug, now) {
      turnPage(now);
      const entry = find(idOrSlug);
      if (entry === undefined) return null;
      return prepare(`item ${entry.id}`, () => ({
        representation: answerWith(
          `{"data":`,
          [entry],
          `,"meta":{"generatedAt":"${generatedAt}"}}`,
        ),
        endsAt: endOfDayIfChanging([entry]),
      }));
    },
    events(query, now) {
      turnPage(now);
      return select(query).map(eventOf);
    },
    event(idOrSlug, now) {
      turnPage(now);
      const entry = find(idOrSlug);
      return entry === undefined ? null : eventOf(entry);
    },
    slugOfRenamed(slug) {
      return findRenamed(slug)?.slug ?? null;
    },
    choose(query, now) {
      turnPage(now);
      const { statuses } = query;
      const withdrawn = calledOffEvents();
      return {
        events: select(query).map(revisedEvent),
        withdrawn: withdrawn.filter((event) =>
          statuses === null || statuses.has(statusOn(event, today.date))
        ),
        // Documents do not tell states, but a filter does.
        endsAt: statuses === null ? Infinity : endOfDayIfChanging([...entries, ...withdrawn]),
      };
    },
    chooseOne(idOrSlug, now) {
      turnPage(now);
      const entry = find(idOrSlug) ?? findRenamed(idOrSlug);
      const former = entry === undefined ? findWithdrawn(idOrSlug) : undefined;
      if (entry === undefined && former === undefined) return null;
      return {
        events: entry === undefined ? [] : [revisedEvent(entry)],
        withdrawn: former === undefined ? [] : [former],
        endsAt: Infinity,
      };
    },
    day(now) {
      turnPage(now);
      return today;
    },
    prepare(key, now, make) {
      turnPage(now);
      return prepare(key, make);
    },
  };
}

/** Copies texts and bytes into one array. The texts are ASCII, so a character is a byte. */
function join(parts: readonly (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    if (typeof part === "string") encoder.encodeInto(part, joined.subarray(at));
    else joined.set(part, at);
    at += part.length;
  }
  return joined;
}
