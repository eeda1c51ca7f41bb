/** The calendar and the feeds. All take the filters of the list, and all but RSS its order. */

import { createRepresentation } from "../../platform/http/representation.ts";
import { atomText, buildAtom, type FeedHead } from "./atom.ts";
import { buildCalendar, calendarText } from "./calendar.ts";
import { canonicalLink } from "../model.ts";
import {
  type Catalog,
  type CatalogResponse,
  type ChosenEvents,
  isWhole,
  type RevisedEvent,
} from "../catalog.ts";
import { parseCalendarQuery, type ParsedQuery, parseFeedQuery, parseRssQuery } from "../query.ts";
import { nextTurn } from "../../platform/timeout.ts";
import { collectionTitle, FOYER } from "../../platform/site_name.ts";
import { filterInWords } from "../site/filter_words.ts";
import { buildRss, rssText } from "./rss.ts";
import { buildJsonFeed, jsonText, type PictureOf } from "./json_feed.ts";

/** A format of a feed, and its address. */
export interface FeedKind {
  readonly path: string;
  /** The words of its title without a filter; absent if it has all events. */
  readonly allInWords?: string;
  readonly contentType: string;
  /** Media types that an Accept header may name. */
  readonly types: readonly [string, ...string[]];
  /** @throws {PublicError} `bad_request` if the query string is not understood. */
  readonly parse: (search: string) => ParsedQuery;
  readonly build: (chosen: ChosenEvents, head: FeedHead, pictureOf: PictureOf) => string;
  /** The part of an event, which is made once. */
  readonly text: (event: RevisedEvent, head: FeedHead, pictureOf: PictureOf) => string;
}

/** `/calendar.ics`: all events, and for 30 days those that were withdrawn. */
export const CALENDAR: FeedKind = {
  path: "/calendar.ics",
  contentType: "text/calendar; charset=utf-8",
  types: ["text/calendar"],
  parse: parseCalendarQuery,
  build: buildCalendar,
  text: (event, { baseUrl }) => calendarText(event, baseUrl),
};

/** `/api/v1/events/rss`: the events announced last. */
export const RSS_FEED: FeedKind = {
  path: "/api/v1/events/rss",
  allInWords: "new events",
  contentType: "application/rss+xml; charset=utf-8",
  types: ["application/rss+xml", "application/xml", "text/xml"],
  parse: parseRssQuery,
  build: ({ events }, head) => buildRss(events, head),
  text: rssText,
};

/** `/feed.atom`: the events announced last. */
export const ATOM_FEED: FeedKind = {
  path: "/feed.atom",
  contentType: "application/atom+xml; charset=utf-8",
  types: ["application/atom+xml", "application/xml", "text/xml"],
  parse: parseFeedQuery,
  build: ({ events }, head) => buildAtom(events, head),
  text: (event, { baseUrl }) => atomText(event, baseUrl),
};

/** `/feed.json`: the events announced last, as a JSON Feed. */
export const JSON_FEED: FeedKind = {
  path: "/feed.json",
  contentType: "application/feed+json; charset=utf-8",
  types: ["application/feed+json", "application/json"],
  parse: parseFeedQuery,
  build: ({ events }, head, pictureOf) => buildJsonFeed(events, head, pictureOf),
  text: (event, { baseUrl }, pictureOf) => jsonText(event, baseUrl, pictureOf),
};

const encoder = new TextEncoder();

/** The parts of a feed besides the events. */
interface FeedSite {
  readonly siteName: string;
  readonly pictureOf: PictureOf;
}

/** The feed of the events of a query. Only the one without a query string is kept: the number of filters has no limit. */
export function prepareFeed(
  catalog: Catalog,
  kind: FeedKind,
  query: ParsedQuery,
  { siteName, pictureOf }: FeedSite,
): CatalogResponse | Promise<CatalogResponse> {
  const address = kind.path + query.canonicalSearch;
  const known = catalog.kept(address);
  if (known !== undefined) return known;
  const title = collectionTitle(siteName, filterInWords(query) ?? kind.allInWords ?? null);
  // Midnight changes which events a filter admits, and no snapshot records when it last did: no Last-Modified.
  const isDated = query.statuses.length === 0;
  const about = { address, siteName, title, isDated, pictureOf };
  const made = prepare(catalog, kind, catalog.choose(query), about);
  return isWhole(query) ? made.then((response) => catalog.prepare(address, () => response)) : made;
}

/** The calendar of one event, by its id, else by its slug; null if there is none. */
export function prepareEventCalendar(
  catalog: Catalog,
  idOrSlug: string,
): Promise<CatalogResponse> | null {
  const chosen = catalog.chooseOne(idOrSlug);
  const [event] = [...chosen?.events ?? [], ...chosen?.withdrawn ?? []];
  if (chosen === null || event === undefined) return null;
  // By its id, so that a subscription survives a renaming.
  const address = `/events/${encodeURIComponent(event.id)}.ics`;
  return prepare(catalog, CALENDAR, chosen, { address, title: event.name, isDated: true });
}

/** Makes the texts of events that were not made before, between requests, and joins them. */
async function prepare(
  { snapshot, baseUrl }: Catalog,
  { contentType, build, text }: FeedKind,
  chosen: ChosenEvents,
  { address, siteName = FOYER, title, isDated, pictureOf = () => null }: {
    readonly address: string;
    readonly siteName?: string;
    readonly title: string;
    readonly isDated: boolean;
    readonly pictureOf?: PictureOf;
  },
): Promise<CatalogResponse> {
  const { changedAt, readAt } = snapshot.meta;
  const selfUrl = `${baseUrl}${address}`;
  const head = { baseUrl, selfUrl, siteName, title, updatedAt: changedAt, readAt };
  for (const event of chosen.events) {
    text(event, head, pictureOf);
    await nextTurn();
  }
  const bytes = encoder.encode(build(chosen, head, pictureOf));
  return {
    representation: createRepresentation({
      contentType,
      headers: { link: canonicalLink(baseUrl, address) },
      ...(isDated ? { lastModified: changedAt } : {}),
      bytes,
    }),
    endsAt: chosen.endsAt,
  };
}
