/** `GET /api/v1/events/{idOrSlug}`: one event. */

import { eventItemSchema } from "../../../../lib/events/model.ts";
import {
  CATALOG_ERRORS,
  noSuchEvent,
  requireJsonAccepted,
  sendFromCatalog,
} from "../../../../lib/events/respond.ts";
import { parseQuery } from "../../../../lib/platform/parameters.ts";
import { searchOf } from "../../../../lib/platform/address.ts";
import { json, type Operation } from "../../../../lib/operate/reference/operation.ts";
import { EVENT_PARAMETER } from "../../../../lib/operate/reference/parameters.ts";
import { methods } from "../../../../lib/operate/routes/methods.ts";

export const handler = methods({
  GET(ctx) {
    const { req, params: { idOrSlug = "" }, state: { services: { events } } } = ctx;
    parseQuery(searchOf(req.url), {});
    requireJsonAccepted(req);
    return sendFromCatalog(ctx, events, (catalog) => {
      const item = catalog.item(idOrSlug);
      if (item !== null) return item;
      const asked = JSON.stringify(idOrSlug.slice(0, 100));
      throw noSuchEvent(catalog, `No event has the id or slug ${asked}.`, HINT);
    });
  },
});

const HINT =
  "A slug changes when its event is renamed; the id does not. GET /api/v1/events lists both.";

export const operation: Operation = {
  operationId: "getEvent",
  group: "Events",
  summary: "One event",
  description:
    "Returns the event with this id or, if there is none, the event with this slug. The " +
    "Link header names its page (/events/{slug}), its calendar (/events/{id}.ics), its card " +
    "(/events/{id}/card) and, if it has them, its logo (/events/{id}/logo) and its background " +
    "(/events/{id}/background).",
  parameters: [EVENT_PARAMETER],
  errors: [...CATALOG_ERRORS, "not_found"],
  answer: { description: "The event.", headers: ["Link"], content: json(eventItemSchema) },
};
