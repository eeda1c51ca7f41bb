/** `GET /api/v1/events/{idOrSlug}`: one event (events contract, section 4, getEvent). */

import { answerFromCatalog, JSON_TYPES } from "../../../../lib/events/answer.ts";
import { PublicError } from "../../../../lib/http/errors.ts";
import { methods } from "../../../../lib/http/methods.ts";
import { parseQuery, searchOf } from "../../../../lib/http/query.ts";
import type { State } from "../../../../lib/state.ts";

export const handler = methods<State>({
  GET({ req, params: { idOrSlug = "" }, state: { requestId, services: { events, now } } }) {
    parseQuery(searchOf(req.url), {});
    return answerFromCatalog(
      { request: req, requestId, source: events, now, types: JSON_TYPES },
      (catalog, at) => catalog.item(idOrSlug, at) ?? notFound(idOrSlug),
    );
  },
});

function notFound(idOrSlug: string): never {
  throw new PublicError(
    "not_found",
    `No event has the id or slug ${JSON.stringify(idOrSlug.slice(0, 100))}.`,
    {
      hint:
        "A slug changes when its event is renamed; the id does not. GET /api/v1/events lists both.",
    },
  );
}
