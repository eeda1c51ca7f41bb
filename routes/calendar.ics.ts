/** `GET /calendar.ics`: the events as a calendar to subscribe to (RFC 5545), filtered as the list is. */

import { answerFromCatalog } from "../lib/events/answer.ts";
import { CALENDAR, prepareDocument } from "../lib/events/document.ts";
import { parseListQuery } from "../lib/events/query.ts";
import { methods } from "../lib/http/methods.ts";
import { searchOf } from "../lib/http/query.ts";
import type { State } from "../lib/state.ts";

export const handler = methods<State>({
  GET({ req, state: { requestId, services: { events, now } } }) {
    const search = searchOf(req.url);
    return answerFromCatalog(
      {
        request: req,
        requestId,
        source: events,
        now,
        types: CALENDAR.types,
        check: () => parseListQuery(search),
      },
      (catalog, at) => prepareDocument(catalog, CALENDAR, search, at),
    );
  },
});
