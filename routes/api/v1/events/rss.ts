/** `GET /api/v1/events/rss`: the announcement feed (events contract, section 4, getEventsFeed). */

import { answerFromCatalog, CATALOG_ERRORS, FEED_TYPES } from "../../../../lib/events/answer.ts";
import {
  DEFAULT_FEED_LIMIT,
  FEED_PARAMETERS,
  parseFeedQuery,
} from "../../../../lib/events/query.ts";
import { methods } from "../../../../lib/http/methods.ts";
import { searchOf } from "../../../../lib/http/query.ts";
import { type Operation, queryParameter } from "../../../../lib/reference/operation.ts";
import type { State } from "../../../../lib/state.ts";

export const handler = methods<State>({
  GET({ req, state: { services: { events, now } } }) {
    const search = searchOf(req.url);
    return answerFromCatalog(
      {
        request: req,
        source: events,
        now,
        types: FEED_TYPES,
        check: () => parseFeedQuery(search),
      },
      (catalog, at) => catalog.feed(search, at),
    );
  },
});

export const operation: Operation = {
  operationId: "getEventsFeed",
  group: "Events",
  summary: "New events as RSS",
  description: "An RSS 2.0 feed of the events added last, newest first, in whatever state.",
  parameters: [
    queryParameter("limit", FEED_PARAMETERS.limit, {
      description: "Maximum events in the feed.",
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
