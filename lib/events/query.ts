/** The parameters of the list and the feed (events contract, section 4). */

import { z } from "zod";
import { parseQuery } from "../http/mod.ts";
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

/** Events in the feed when the caller does not say. */
export const DEFAULT_FEED_LIMIT = 20;

/** What is asked of the list; `statuses` null means all, `limit` null means no limit. */
export interface ListQuery {
  readonly statuses: ReadonlySet<EventStatus> | null;
  readonly sort: SortField;
  readonly order: "asc" | "desc";
  readonly limit: number | null;
}

/** The whole list, and what a list is when its query string says nothing. */
export const LIST_DEFAULTS: ListQuery = {
  statuses: null,
  sort: "startDate",
  order: "desc",
  limit: null,
};

/** The same for the feeds: the events announced last. */
export const FEED_DEFAULTS: ListQuery = {
  ...LIST_DEFAULTS,
  sort: "announcedAt",
  limit: DEFAULT_FEED_LIMIT,
};

/**
 * Reads the list's query string.
 *
 * @param defaults what holds for a parameter that is not given.
 * @throws {PublicError} `bad_request` as {@linkcode parseQuery} does.
 */
export function parseListQuery(search: string, defaults: ListQuery = LIST_DEFAULTS): ListQuery {
  const given = parseQuery(search, LIST_PARAMETERS);
  const all = given.status === undefined || given.status.length === EVENT_STATUSES.length;
  return {
    statuses: all ? null : new Set(given.status),
    sort: given.sort ?? defaults.sort,
    order: given.order ?? defaults.order,
    limit: given.limit ?? defaults.limit,
  };
}

/**
 * Reads the query string of the RSS feed, which takes a limit alone (contract, section 4).
 *
 * @throws {PublicError} `bad_request` as {@linkcode parseQuery} does.
 */
export function parseFeedQuery(search: string): ListQuery {
  return { ...FEED_DEFAULTS, ...parseQuery(search, FEED_PARAMETERS) };
}

/** One text for all query strings that ask the same. */
export function normalizeListQuery({ statuses, sort, order, limit }: ListQuery): string {
  const states = EVENT_STATUSES.filter((status) => statuses === null || statuses.has(status));
  return `${states.join(",")} ${sort} ${order} ${limit ?? "all"}`;
}

/** The one query string, with its `?`, of all that ask the same; "" if the defaults say it. */
export function canonicalSearch(
  { statuses, sort, order, limit }: ListQuery,
  defaults: ListQuery,
): string {
  const states = EVENT_STATUSES.filter((status) => statuses?.has(status));
  const given = [
    states.length > 0 ? `status=${states.join(",")}` : "",
    sort !== defaults.sort ? `sort=${sort}` : "",
    order !== defaults.order ? `order=${order}` : "",
    limit !== defaults.limit ? `limit=${limit}` : "",
  ].filter(Boolean);
  return given.length > 0 ? `?${given.join("&")}` : "";
}
