/** `GET /feed.atom`: the announcement feed as Atom (RFC 4287), filtered as the list is. */

import { ATOM_FEED } from "../lib/events/feeds/feeds.ts";
import { FEED_DEFAULTS } from "../lib/events/query.ts";
import { feedRoute } from "../lib/operate/routes/feed_route.ts";

export const { handler, operation } = feedRoute(ATOM_FEED, {
  operationId: "getAtomFeed",
  summary: "New events as Atom",
  description: "The events added most recently as an Atom feed (RFC 4287).",
  defaults: FEED_DEFAULTS,
});
