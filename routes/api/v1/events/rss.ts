/** `GET /api/v1/events/rss`: the announcement feed (events contract, section 4, getEventsFeed). */

import { CATALOG_ERRORS, DEFAULT_FEED_LIMIT } from "../../../../lib/events/mod.ts";
import { RSS_FEED } from "../../../../lib/feeds/mod.ts";
import type { Operation } from "../../../../lib/reference/mod.ts";
import { feedRoute } from "../../../(_shared)/feed_route.ts";
import { FILTERS, limitParameter, statusParameter } from "../../../(_shared)/query_parameters.ts";

export const handler = feedRoute(RSS_FEED);

export const operation: Operation = {
  operationId: "getEventsFeed",
  group: "Events",
  summary: "New events as RSS",
  description: "An RSS 2.0 feed of the events added most recently, newest first. Without " +
    "filters it holds events of every status.",
  parameters: [
    limitParameter({
      description: "Maximum number of events in the feed.",
      default: DEFAULT_FEED_LIMIT,
      example: 1,
    }),
    statusParameter(),
    ...FILTERS,
  ],
  errors: CATALOG_ERRORS,
  answer: {
    description: "The feed.",
    headers: ["Last-Modified", "Link"],
    content: { "application/rss+xml": { schema: { type: "string" } } },
  },
  isKept: true,
};
