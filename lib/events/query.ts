/** The parameters of the list and the feed (events contract, section 4). */

import { LRUCache } from "lru-cache";
import { z } from "zod";
import { type Given, parseQuery } from "../http/mod.ts";
import { EVENT_STATUSES, type EventStatus, SORT_FIELDS, type SortField } from "./values.ts";

/** The parameters of `GET /api/v1/events`. */
export const LIST_PARAMETERS = {
  status: z.array(z.enum(EVENT_STATUSES)),
  sort: z.enum(SORT_FIELDS),
  order: z.enum(["asc", "desc"]),
  limit: z.int().min(1).max(100),
};

/** The parameters of `GET /api/v1/events/rss`. */
export const FEED_PARAMETERS = { limit: LIST_PARAMETERS.limit };

/** Events in a feed without a `limit`. */
export const DEFAULT_FEED_LIMIT = 20;

/** Which events, and in what order; `statuses` null means all, `limit` null means no limit. */
export interface ListQuery {
  readonly statuses: ReadonlySet<EventStatus> | null;
  readonly sort: SortField;
  readonly order: "asc" | "desc";
  readonly limit: number | null;
}

/** The list without a query string: all events. */
export const LIST_DEFAULTS: ListQuery = {
  statuses: null,
  sort: "startDate",
  order: "desc",
  limit: null,
};

/** The feeds without a query string: the events announced last. */
export const FEED_DEFAULTS: ListQuery = {
  ...LIST_DEFAULTS,
  sort: "announcedAt",
  limit: DEFAULT_FEED_LIMIT,
};

/** A query string as it was parsed. */
export interface ParsedQuery extends ListQuery {
  /** The same query string, with its `?`, for all equivalent queries; "" for the defaults. */
  readonly canonicalSearch: string;
}

/** Query strings that a parser remembers. */
const MAX_REMEMBERED = 1_000;

/** Reads the query string of the list. @throws {PublicError} as {@linkcode parseQuery} does. */
export const parseListQuery = createQueryParser(
  (search) => parseQuery(search, LIST_PARAMETERS),
  LIST_DEFAULTS,
);

/** The same for the feeds. @throws {PublicError} as {@linkcode parseQuery} does. */
export const parseFeedQuery = createQueryParser(
  (search) => parseQuery(search, LIST_PARAMETERS),
  FEED_DEFAULTS,
);

/** The same for the RSS feed, which takes a limit alone (contract, section 4). */
export const parseRssQuery = createQueryParser(
  (search) => parseQuery(search, FEED_PARAMETERS),
  FEED_DEFAULTS,
);

/** A parser of query strings that does not read one twice. */
function createQueryParser(
  parse: (search: string) => Given<typeof LIST_PARAMETERS>,
  defaults: ListQuery,
): (search: string) => ParsedQuery {
  const remembered = new LRUCache<string, ParsedQuery>({ max: MAX_REMEMBERED });
  return function parseRemembering(search) {
    const known = remembered.get(search);
    if (known !== undefined) return known;
    const given = parse(search);
    const all = given.status === undefined || given.status.length === EVENT_STATUSES.length;
    const query: ListQuery = {
      statuses: all ? null : new Set(given.status),
      sort: given.sort ?? defaults.sort,
      order: given.order ?? defaults.order,
      limit: given.limit ?? defaults.limit,
    };
    const parsed = { ...query, canonicalSearch: canonicalSearch(query, defaults) };
    remembered.set(search, parsed);
    return parsed;
  };
}

function canonicalSearch({ statuses, sort, order, limit }: ListQuery, defaults: ListQuery): string {
  const states = EVENT_STATUSES.filter((status) => statuses?.has(status));
  const given = [
    states.length > 0 ? `status=${states.join(",")}` : "",
    sort !== defaults.sort ? `sort=${sort}` : "",
    order !== defaults.order ? `order=${order}` : "",
    limit !== defaults.limit ? `limit=${limit}` : "",
  ].filter(Boolean);
  return given.length > 0 ? `?${given.join("&")}` : "";
}
