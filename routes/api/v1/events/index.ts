/** `GET /api/v1/events`: the list. */

import { eventListSchema } from "../../../../lib/events/model.ts";
import { LIST_DEFAULTS, LIST_PARAMETERS, parseListQuery } from "../../../../lib/events/query.ts";
import {
  CATALOG_ERRORS,
  requireJsonAccepted,
  sendFromCatalog,
} from "../../../../lib/events/respond.ts";
import { searchOf } from "../../../../lib/platform/address.ts";
import {
  json,
  type Operation,
  queryParameters,
} from "../../../../lib/operate/reference/operation.ts";
import { FILTERS, orderBy, STATUS } from "../../../../lib/operate/reference/parameters.ts";
import { methods } from "../../../../lib/operate/routes/methods.ts";

export const handler = methods({
  GET(ctx) {
    requireJsonAccepted(ctx.req);
    const query = parseListQuery(searchOf(ctx.req.url));
    return sendFromCatalog(ctx, ctx.state.services.events, (catalog) => catalog.list(query));
  },
});

export const operation: Operation = {
  operationId: "listEvents",
  group: "Events",
  summary: "List events",
  description: "Returns the events with their card styling.",
  parameters: queryParameters(LIST_PARAMETERS, {
    status: { ...STATUS, example: ["upcoming", "ongoing"] },
    ...orderBy(LIST_DEFAULTS),
    limit: {
      description: "Maximum number of events returned. Without it, every event is returned.",
      example: 1,
    },
    ...FILTERS,
    changedSince: {
      description: "Only events that were announced or changed since this time, whose status is " +
        "another one, or that returned to the list. The response's meta.withdrawn names the " +
        "events that are gone. Send the generatedAt of your last response.",
    },
  }),
  errors: CATALOG_ERRORS,
  answer: { description: "The events.", headers: ["Link"], content: json(eventListSchema) },
};
