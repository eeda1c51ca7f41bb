/** The calendar and the feeds. All take the parameters of the list; only the API's RSS feed takes just `limit`. */

import { createRepresentation } from "../http/mod.ts";
import { buildAtom, type FeedHead } from "./atom.ts";
import { buildCalendar } from "./calendar.ts";
import {
  type Catalog,
  type CatalogResponse,
  type ChosenEvents,
  EVENT_STATUSES,
  type ParsedQuery,
  parseFeedQuery,
  parseListQuery,
  parseRssQuery,
} from "../events/mod.ts";
import { buildRss } from "./rss.ts";
import { buildJsonFeed } from "./json_feed.ts";

/** A format of a feed, and its address. */
export interface FeedKind {
  readonly path: string;
  readonly contentType: string;
  /** Media types that an Accept header may name. */
  readonly types: readonly [string, ...string[]];
  /** @throws {PublicError} `bad_request` if the query string is not understood. */
  readonly parse: (search: string) => ParsedQuery;
  readonly build: (chosen: ChosenEvents, head: FeedHead) => string;
}

/** `/calendar.ics`: all events, and for 30 days those that were withdrawn. */
export const CALENDAR: FeedKind = {
  path: "/calendar.ics",
  contentType: "text/calendar; charset=utf-8",
  types: ["text/calendar"],
  parse: parseListQuery,
  build: buildCalendar,
};

/** `/api/v1/events/rss`: the events announced last (events contract, section 4, getEventsFeed). */
export const RSS_FEED: FeedKind = {
  path: "/api/v1/events/rss",
  contentType: "application/rss+xml; charset=utf-8",
  types: ["application/rss+xml", "application/xml", "text/xml"],
  parse: parseRssQuery,
  build: ({ events }, head) => buildRss(events, head),
};

/** `/feed.atom`: the events announced last. */
export const ATOM_FEED: FeedKind = {
  path: "/feed.atom",
  contentType: "application/atom+xml; charset=utf-8",
  types: ["application/atom+xml", "application/xml", "text/xml"],
  parse: parseFeedQuery,
  build: ({ events }, head) => buildAtom(events, head),
};

/** `/feed.json`: the events announced last, as a JSON Feed. */
export const JSON_FEED: FeedKind = {
  path: "/feed.json",
  contentType: "application/feed+json; charset=utf-8",
  types: ["application/feed+json", "application/json"],
  parse: parseFeedQuery,
  build: ({ events }, head) => buildJsonFeed(events, head),
};

const encoder = new TextEncoder();

/** The feed of the events of a query. */
export function prepareFeed(catalog: Catalog, kind: FeedKind, query: ParsedQuery): CatalogResponse {
  const address = kind.path + query.canonicalSearch;
  return catalog.prepare(address, () => {
    const states = EVENT_STATUSES.filter((state) => query.statuses?.has(state)).join(" and ");
    const title = states === "" ? "Foyer events" : `Foyer events: ${states}`;
    const chosen = catalog.choose(query);
    // Midnight changes which events a filter admits, and no snapshot records when it last did: no Last-Modified.
    return prepare(catalog, kind, chosen, address, title, query.statuses === null);
  });
}

/** The calendar of one event, by its id, else by its slug; null if there is none. */
export function prepareEventCalendar(catalog: Catalog, idOrSlug: string): CatalogResponse | null {
  const chosen = catalog.chooseOne(idOrSlug);
  const [event] = [...chosen?.events ?? [], ...chosen?.withdrawn ?? []];
  if (chosen === null || event === undefined) return null;
  // By its id, so that a subscription survives a renaming.
  const address = `/events/${encodeURIComponent(event.id)}.ics`;
  return catalog.prepare(
    address,
    () => prepare(catalog, CALENDAR, chosen, address, event.name, true),
  );
}

function prepare(
  { snapshot, baseUrl }: Catalog,
  { contentType, build }: FeedKind,
  chosen: ChosenEvents,
  address: string,
  title: string,
  isDated: boolean,
): CatalogResponse {
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
