/**
 * The calendar and the feeds. Those at addresses of the site take the parameters of the list; all are
 * prepared and answered as it is.
 */

import { createRepresentation } from "../http/mod.ts";
import { buildAtom, type FeedHead } from "./atom.ts";
import { buildCalendar } from "./calendar.ts";
import {
  canonicalSearch,
  type Catalog,
  type CatalogAnswer,
  type ChosenEvents,
  EVENT_STATUSES,
  FEED_DEFAULTS,
  LIST_DEFAULTS,
  type ListQuery,
  parseFeedQuery,
  parseListQuery,
} from "../events/mod.ts";
import { buildFeed } from "./rss.ts";
import { buildJsonFeed } from "./json_feed.ts";

/** A document that is made of the events of a query. */
export interface DocumentKind {
  readonly path: string;
  readonly contentType: string;
  /** Media types by which a caller may ask for it. */
  readonly types: readonly [string, ...string[]];
  /** What its address means without a query string. */
  readonly defaults: ListQuery;
  /** @throws {PublicError} `bad_request` if the query string is not understood. */
  readonly parse: (search: string) => ListQuery;
  readonly build: (chosen: ChosenEvents, head: FeedHead) => string;
}

/** `/calendar.ics`: all events, and for 30 days those that were withdrawn. */
export const CALENDAR: DocumentKind = {
  path: "/calendar.ics",
  contentType: "text/calendar; charset=utf-8",
  types: ["text/calendar"],
  defaults: LIST_DEFAULTS,
  parse: parseListQuery,
  build: buildCalendar,
};

/** `/api/v1/events/rss`: the events announced last (events contract, section 4, getEventsFeed). */
export const RSS_FEED: DocumentKind = {
  path: "/api/v1/events/rss",
  contentType: "application/rss+xml; charset=utf-8",
  types: ["application/rss+xml", "application/xml", "text/xml"],
  defaults: FEED_DEFAULTS,
  parse: parseFeedQuery,
  build: ({ events }, head) => buildFeed(events, head),
};

/** `/feed.atom`: the events announced last. */
export const ATOM_FEED: DocumentKind = {
  path: "/feed.atom",
  contentType: "application/atom+xml; charset=utf-8",
  types: ["application/atom+xml", "application/xml", "text/xml"],
  defaults: FEED_DEFAULTS,
  parse: (search) => parseListQuery(search, FEED_DEFAULTS),
  build: ({ events }, head) => buildAtom(events, head),
};

/** `/feed.json`: the same as a JSON Feed. */
export const JSON_FEED: DocumentKind = {
  path: "/feed.json",
  contentType: "application/feed+json; charset=utf-8",
  types: ["application/feed+json", "application/json"],
  defaults: FEED_DEFAULTS,
  parse: (search) => parseListQuery(search, FEED_DEFAULTS),
  build: ({ events }, head) => buildJsonFeed(events, head),
};

const encoder = new TextEncoder();

/**
 * The document of the events that a query string asks for.
 *
 * @param now epoch milliseconds.
 * @throws {PublicError} `bad_request` if the query string is not understood.
 */
export function prepareDocument(
  catalog: Catalog,
  kind: DocumentKind,
  search: string,
  now: number,
): CatalogAnswer {
  const query = kind.parse(search);
  const address = `${kind.path}${canonicalSearch(query, kind.defaults)}`;
  return catalog.prepare(address, now, () => {
    const states = EVENT_STATUSES.filter((state) => query.statuses?.has(state)).join(" and ");
    const title = states === "" ? "Foyer events" : `Foyer events: ${states}`;
    const chosen = catalog.choose(query, now);
    // Midnight changes what a filter lets through, and no snapshot tells when it last did.
    return answer(catalog, kind, chosen, address, title, query.statuses === null);
  });
}

/**
 * The calendar of one event, by its id, else by its slug; null if there is none.
 *
 * @param now epoch milliseconds.
 */
export function prepareEventCalendar(
  catalog: Catalog,
  idOrSlug: string,
  now: number,
): CatalogAnswer | null {
  const chosen = catalog.chooseOne(idOrSlug, now);
  const [event] = [...chosen?.events ?? [], ...chosen?.withdrawn ?? []];
  if (chosen === null || event === undefined) return null;
  // By its id, so that a subscription survives a renaming.
  const address = `/events/${encodeURIComponent(event.id)}.ics`;
  return catalog.prepare(
    address,
    now,
    () => answer(catalog, CALENDAR, chosen, address, event.name, true),
  );
}

function answer(
  { snapshot, baseUrl }: Catalog,
  { contentType, build }: DocumentKind,
  chosen: ChosenEvents,
  address: string,
  title: string,
  isDated: boolean,
): CatalogAnswer {
  const { changedAt, readAt } = snapshot.meta;
  const head = { baseUrl, selfUrl: `${baseUrl}${address}`, title, updatedAt: changedAt, readAt };
  const bytes = encoder.encode(build(chosen, head));
  return {
    representation: createRepresentation({
      contentType,
      ...(isDated ? { lastModified: changedAt } : {}),
      bytes,
    }),
    endsAt: chosen.endsAt,
  };
}
