/** `GET /api/v1/events`: the list (events contract, section 4, listEvents). */

import { answerFromCatalog, JSON_TYPES } from "../../../../lib/events/answer.ts";
import { parseListQuery } from "../../../../lib/events/query.ts";
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
        types: JSON_TYPES,
        check: () => parseListQuery(search),
      },
      (catalog, at) => catalog.list(search, at),
    );
  },
});
