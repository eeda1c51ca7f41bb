/** `GET /feed.json`: the announcement feed as a JSON Feed (jsonfeed.org), filtered as the list is. */

import { JSON_FEED } from "../lib/events/feeds/feeds.ts";
import { FEED_DEFAULTS } from "../lib/events/query.ts";
import { feedRoute } from "../lib/operate/routes/feed_route.ts";

export const { handler, operation } = feedRoute(JSON_FEED, {
  operationId: "getJsonFeed",
  summary: "New events as JSON Feed",
  description:
    "The events added most recently as a JSON Feed (version 1.1). The member _foyer of " +
    "an item has the event's dates, format and place for programs.",
  defaults: FEED_DEFAULTS,
});
