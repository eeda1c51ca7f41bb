/** `GET /api/v1/events/rss`: the announcement feed (events contract, section 4, getEventsFeed). */

import { answerFromCatalog, FEED_TYPES } from "../../../../lib/events/answer.ts";
import { parseFeedQuery } from "../../../../lib/events/query.ts";
import { methods } from "../../../../lib/http/methods.ts";
import { searchOf } from "../../../../lib/http/query.ts";
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
