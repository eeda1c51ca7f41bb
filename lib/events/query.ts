/** The parameters of the list and the feeds, and the filters that both take besides. */

import {
  type Given,
  INSTANT,
  invalidQuery,
  oneOf,
  type ParameterTable,
  parseQuery,
  type Refused,
  wholeNumber,
} from "../platform/parameters.ts";
import {
  type Filter,
  FILTER_PARAMETERS,
  filterOf,
  filterPairs,
  NO_FILTER,
  searchOfPairs,
} from "./filter.ts";
import { SORT_FIELDS, type SortField } from "./values.ts";

const { status, ...otherFilters } = FILTER_PARAMETERS;

/** The parameters of the feeds and the calendar that the list has too. */
const ORDERED_PARAMETERS = {
  status,
  sort: oneOf(SORT_FIELDS),
  order: oneOf(["asc", "desc"]),
  limit: wholeNumber(1, 100),
  ...otherFilters,
};

/** The parameters of `GET /api/v1/events`. */
export const LIST_PARAMETERS = { ...ORDERED_PARAMETERS, changedSince: INSTANT };

/** The parameters of `GET /api/v1/events/rss`, whose order is fixed. */
const RSS_PARAMETERS = { limit: LIST_PARAMETERS.limit, ...FILTER_PARAMETERS };

/** Events in a feed without a `limit`. */
export const DEFAULT_FEED_LIMIT = 20;

/** Which events, and in what order; `limit` null means no limit. */
export interface ListQuery extends Filter {
  readonly sort: SortField;
  readonly order: "asc" | "desc";
  readonly limit: number | null;
  /** Epoch milliseconds: only events that were changed or announced since; null for all. */
  readonly changedSince: number | null;
}

/** The list without a query string: all events. */
export const LIST_DEFAULTS: ListQuery = {
  ...NO_FILTER,
  sort: "startDate",
  order: "desc",
  limit: null,
  changedSince: null,
};

/** The feeds without a query string: the events announced last. */
export const FEED_DEFAULTS: ListQuery = {
  ...LIST_DEFAULTS,
  sort: "announcedAt",
  limit: DEFAULT_FEED_LIMIT,
};

/** A query string as it was parsed. */
export interface ParsedQuery extends ListQuery {
  /** The same query string, with its `?`, for all equivalent queries; "" for the defaults. It lacks `changedSince`. */
  readonly canonicalSearch: string;
}

/** Reads the query string of the list. @throws {PublicError} as {@linkcode parseQuery} does. */
export const parseListQuery = createQueryParser(LIST_PARAMETERS, LIST_DEFAULTS);

/** The same for the calendar, which states changes and withdrawals in its own way. */
export const parseCalendarQuery = createQueryParser(ORDERED_PARAMETERS, LIST_DEFAULTS, "values");

/** The same for the feeds. Both ignore unknown names. */
export const parseFeedQuery = createQueryParser(ORDERED_PARAMETERS, FEED_DEFAULTS, "values");

/** The same for the RSS feed, which has the newest events first. */
export const parseRssQuery = createQueryParser(RSS_PARAMETERS, FEED_DEFAULTS, "values");

function createQueryParser(
  parameters: ParameterTable,
  defaults: ListQuery,
  refused?: Refused,
): (search: string) => ParsedQuery {
  return function parse(search) {
    // Each of the tables above is a part of this one.
    const given = parseQuery(search, parameters, refused) as Given<typeof LIST_PARAMETERS>;
    const filter = filterOf(given, (from, to) => {
      throw invalidQuery(`to (${to}) is before from (${from}).`, "Give the first day as from.");
    });
    const query: ListQuery = {
      ...filter,
      sort: given.sort ?? defaults.sort,
      order: given.order ?? defaults.order,
      limit: given.limit ?? defaults.limit,
      changedSince: given.changedSince === undefined ? null : Date.parse(given.changedSince),
    };
    return { ...query, canonicalSearch: canonicalSearch(query, defaults) };
  };
}

function canonicalSearch(query: ListQuery, defaults: ListQuery): string {
  const { sort, order, limit } = query;
  const pairs = filterPairs(query, [
    ["sort", sort === defaults.sort ? "" : sort],
    ["order", order === defaults.order ? "" : order],
    ["limit", limit === defaults.limit ? "" : String(limit)],
  ]);
  return searchOfPairs(pairs);
}
