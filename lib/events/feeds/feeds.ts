/** The calendar and the feeds. All take the filters of the list, and all but RSS its order. */

import { createRepresentation } from "../../platform/http/representation.ts";
import { atomEntry, buildAtom, type FeedHead } from "./internal/atom.ts";
import { buildCalendar, cancelledComponents, eventComponents } from "./internal/calendar.ts";
import { makeInTurn } from "../../platform/http/wire.ts";
import { dependsOnDay } from "../filter.ts";
import { canonicalLink } from "../model.ts";
import {
  type Catalog,
  type CatalogResponse,
  type ChosenEvents,
  isWhole,
  type RevisedEvent,
} from "../catalog.ts";
import { parseCalendarQuery, type ParsedQuery, parseFeedQuery, parseRssQuery } from "../query.ts";
import { memoize, memoizeLast } from "../../platform/memoize.ts";
import { mapInSlices } from "../../platform/timeout.ts";
import type { FormerEvent } from "../keeping/history.ts";
import type { FeedPicture, FeedScope } from "./feed_text.ts";
import { collectionTitle, FOYER } from "../../platform/site_name.ts";
import { addableDays } from "../site/calendar_links.ts";
import { filterInWords } from "../site/filter_words.ts";
import { buildRss, rssItem } from "./internal/rss.ts";
import { buildJsonFeed, jsonItem } from "./internal/json_feed.ts";

/** A format of a feed, and its address. */
export interface FeedKind {
  readonly path: string;
  /** The words of its title without a filter; absent if it has all events. */
  readonly allInWords?: string;
  readonly contentType: string;
  /** @throws {PublicError} `bad_request` if the query string is not understood. */
  readonly parse: (search: string) => ParsedQuery;
  /** The feed of the texts of its events. */
  readonly build: (texts: readonly string[], head: FeedHead) => string;
  /** The text of an event, with the picture that it is shared with; null without one. */
  readonly text: (event: RevisedEvent, scope: FeedScope, picture: FeedPicture | null) => string;
  /** The text of a withdrawn event; absent if the feed has none. */
  readonly withdrawnText?: (event: FormerEvent, scope: FeedScope) => string;
}

/** `/calendar.ics`: all events, and for 30 days those that were withdrawn. */
export const CALENDAR: FeedKind = {
  path: "/calendar.ics",
  contentType: "text/calendar; charset=utf-8",
  parse: parseCalendarQuery,
  build: buildCalendar,
  text: eventComponents,
  withdrawnText: cancelledComponents,
};

/** `/api/v1/events/rss`: the events announced last. */
export const RSS_FEED: FeedKind = {
  path: "/api/v1/events/rss",
  allInWords: "new events",
  contentType: "application/rss+xml; charset=utf-8",
  parse: parseRssQuery,
  build: buildRss,
  text: rssItem,
};

/** `/feed.atom`: the events announced last. */
export const ATOM_FEED: FeedKind = {
  path: "/feed.atom",
  contentType: "application/atom+xml; charset=utf-8",
  parse: parseFeedQuery,
  build: buildAtom,
  text: atomEntry,
};

/** `/feed.json`: the events announced last, as a JSON Feed. */
export const JSON_FEED: FeedKind = {
  path: "/feed.json",
  contentType: "application/feed+json; charset=utf-8",
  parse: parseFeedQuery,
  build: buildJsonFeed,
  text: jsonItem,
};

/** Keeps the text that each event has in a kind of feed. */
const keeperOf = memoize((_kind: FeedKind) => memoizeLast<RevisedEvent, string>());
const encoder = new TextEncoder();

/** The parts of a feed besides the events. */
interface FeedSite {
  readonly siteName: string;
  /** Identifies the files of its branding, which pictures show. */
  readonly branding: string;
  /** The picture that the event with an id is shared with; null if none can be painted. */
  readonly pictureOf: (id: string) => FeedPicture | null;
}

/**
 * The feed of the events of a query. Only the one without a query string is kept: the number of filters has no limit.
 * Others are shared while they are made.
 */
export function prepareFeed(
  catalog: Catalog,
  kind: FeedKind,
  query: ParsedQuery,
  { siteName, branding, pictureOf }: FeedSite,
): Promise<CatalogResponse> {
  const address = kind.path + query.canonicalSearch;
  const isOneOfMany = !isWhole(query);
  // A filter may depend on the day.
  const version = `${catalog.day().date} ${branding}${catalog.version}`;
  const make = () => {
    const title = collectionTitle(siteName, filterInWords(query) ?? kind.allInWords ?? null);
    // Midnight changes which events a filter admits, and no snapshot records when it last did: no Last-Modified.
    const isDated = !dependsOnDay(query);
    const about = { address, siteName, title, isDated, isOneOfMany, pictureOf };
    return prepare(catalog, kind, catalog.choose(query, kind !== CALENDAR), about);
  };
  return catalog.documents.get(
    address,
    version,
    () => isOneOfMany ? makeInTurn(make) : make(),
    { isKept: !isOneOfMany },
  );
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
  const { date, endsAt } = catalog.day();
  const events = chosen.events.map((each) => {
    const days = addableDays(each, date);
    return days.startDate === each.startDate ? each : { ...each, ...days };
  });
  const isSame = events.every((each, at) => each === chosen.events[at]);
  const added = isSame ? chosen : { ...chosen, events, endsAt };
  return prepare(catalog, CALENDAR, added, {
    address,
    title: event.name,
    isDated: isSame,
    isOneOfMany: true,
  });
}

/** Makes the texts of events that were not made before, between requests, and joins them. */
async function prepare(
  { snapshot: { meta: { changedAt } }, baseUrl, origin }: Catalog,
  kind: FeedKind,
  { events, withdrawn, endsAt }: ChosenEvents,
  about: Partial<FeedSite> & {
    readonly address: string;
    readonly title: string;
    readonly isDated: boolean;
    readonly isOneOfMany: boolean;
  },
): Promise<CatalogResponse> {
  const { contentType, build, text, withdrawnText } = kind;
  const { address, siteName = FOYER, title, isDated, isOneOfMany, pictureOf = () => null } = about;
  const scope = { baseUrl, origin };
  const textOf = keeperOf(kind);
  const texts = await mapInSlices(events, (event) => {
    // A calendar has none, and its texts do not depend on them.
    const picture = kind === CALENDAR ? null : pictureOf(event.id);
    const key = JSON.stringify([scope, picture]);
    return textOf(event, key, () => text(event, scope, picture));
  });
  if (withdrawnText) {
    texts.push(...await mapInSlices(withdrawn, (event) => withdrawnText(event, scope)));
  }
  const head = { ...scope, selfUrl: `${baseUrl}${address}`, siteName, title, updatedAt: changedAt };
  return {
    representation: createRepresentation({
      contentType,
      headers: { link: canonicalLink(baseUrl, address) },
      ...isDated && { lastModified: changedAt },
      isOneOfMany,
      bytes: encoder.encode(build(texts, head)),
    }),
    endsAt,
  };
}
