/** `GET /api/v1/events/rss`: the announcement feed (events contract, section 4, getEventsFeed). */

import { CATALOG_ERRORS, DEFAULT_FEED_LIMIT, FEED_PARAMETERS } from "../../../../lib/events/mod.ts";
import { RSS_FEED } from "../../../../lib/feeds/mod.ts";
import { type Operation, queryParameter } from "../../../../lib/reference/mod.ts";
import { feedRoute } from "../../../(_shared)/feed_route.ts";

export const handler = feedRoute(RSS_FEED);

export const operation: Operation = {
  operationId: "getEventsFeed",
  group: "Events",
  summary: "New events as RSS",
  description:
    "An RSS 2.0 feed of the events added most recently, newest first. It holds events of every status.",
  parameters: [
    queryParameter("limit", FEED_PARAMETERS.limit, {
      description: "Maximum number of events in the feed.",
      default: DEFAULT_FEED_LIMIT,
      example: 1,
    }),
  ],
  errors: CATALOG_ERRORS,
  answer: {
    description: "The feed.",
    headers: ["Last-Modified"],
    content: { "application/rss+xml": { schema: { type: "string" } } },
  },
  isKept: true,
};
