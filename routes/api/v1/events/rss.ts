/** `GET /api/v1/events/rss`: the announcement feed. */

import { RSS_FEED } from "../../../../lib/events/feeds/feeds.ts";
import { DEFAULT_FEED_LIMIT, LIST_PARAMETERS } from "../../../../lib/events/query.ts";
import { FEED_ERRORS } from "../../../../lib/events/respond.ts";
import { type Operation, queryParameters } from "../../../../lib/operate/reference/operation.ts";
import { FILTERS, STATUS } from "../../../../lib/operate/reference/parameters.ts";
import { feedHandler } from "../../../../lib/operate/routes/feed_route.ts";

export const handler = feedHandler(RSS_FEED);

export const operation: Operation = {
  operationId: "getEventsFeed",
  group: "Events",
  summary: "New events as RSS",
  description: "An RSS 2.0 feed of the events added most recently, newest first. Without " +
    "filters it holds events of every status.",
  parameters: queryParameters(LIST_PARAMETERS, {
    limit: {
      description: "Maximum number of events in the feed.",
      default: DEFAULT_FEED_LIMIT,
      example: 1,
    },
    status: STATUS,
    ...FILTERS,
  }),
  errors: FEED_ERRORS,
  answer: {
    description: "The feed.",
    headers: ["Last-Modified", "Link"],
    content: { "application/rss+xml": { schema: { type: "string" } } },
  },
};
