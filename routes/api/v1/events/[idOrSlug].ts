/** `GET /api/v1/events/{idOrSlug}`: one event (events contract, section 4, getEvent). */

import { answerFromCatalog, JSON_TYPES, noSuchEvent } from "../../../../lib/events/answer.ts";
import { methods } from "../../../../lib/http/methods.ts";
import { parseQuery, searchOf } from "../../../../lib/http/query.ts";
import type { State } from "../../../../lib/state.ts";

export const handler = methods<State>({
  GET({ req, params: { idOrSlug = "" }, state: { services: { events, now } } }) {
    parseQuery(searchOf(req.url), {});
    return answerFromCatalog(
      { request: req, source: events, now, types: JSON_TYPES },
      (catalog, at) => {
        const item = catalog.item(idOrSlug, at);
        if (item !== null) return item;
        const asked = JSON.stringify(idOrSlug.slice(0, 100));
        throw noSuchEvent(catalog, at, `No event has the id or slug ${asked}.`, HINT);
      },
    );
  },
});

const HINT =
  "A slug changes when its event is renamed; the id does not. GET /api/v1/events lists both.";
