/** `GET /api/v1/events`: the list (events contract, section 4, listEvents). */

import {
  CATALOG_ERRORS,
  eventListSchema,
  JSON_TYPES,
  LIST_DEFAULTS,
  LIST_PARAMETERS,
  parseListQuery,
  requireAcceptable,
  sendFromCatalog,
} from "../../../../lib/events/mod.ts";
import { methods, searchOf } from "../../../../lib/http/mod.ts";
import { json, type Operation, queryParameter } from "../../../../lib/reference/mod.ts";
import type { State } from "../../../../lib/state.ts";

export const handler = methods<State>({
  GET({ req, state: { services: { events } } }) {
    requireAcceptable(req, JSON_TYPES);
    const query = parseListQuery(searchOf(req.url));
    return sendFromCatalog(req, events, (catalog) => catalog.list(query));
  },
});

export const operation: Operation = {
  operationId: "listEvents",
  group: "Events",
  summary: "List events",
  description: "Returns the events with their card styling.",
  parameters: [
    queryParameter("status", LIST_PARAMETERS.status, {
      description:
        "Only events in these states. Repeat the parameter or pass a comma-separated list.",
      example: ["upcoming", "ongoing"],
    }),
    queryParameter("sort", LIST_PARAMETERS.sort, {
      description: "Field to sort by.",
      default: LIST_DEFAULTS.sort,
    }),
    queryParameter("order", LIST_PARAMETERS.order, {
      description: "Sort direction.",
      default: LIST_DEFAULTS.order,
    }),
    queryParameter("limit", LIST_PARAMETERS.limit, {
      description: "Maximum number of events returned. Without it, every event is returned.",
      example: 1,
    }),
  ],
  errors: CATALOG_ERRORS,
  answer: { description: "The events.", content: json(eventListSchema) },
  isKept: true,
};
