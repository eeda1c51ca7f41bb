/** The events API in the reference (events contract, section 4). */

import {
  DEFAULT_FEED_LIMIT,
  FEED_PARAMETERS,
  LIST_DEFAULTS,
  LIST_PARAMETERS,
} from "../events/query.ts";
import { exampleOf } from "./examples.ts";
import { headerRefs } from "./headers.ts";
import {
  IF_NONE_MATCH,
  json,
  NOT_MODIFIED,
  operation,
  type PathItem,
  queryParameter,
  type Special,
} from "./operation.ts";

const KEPT = headerRefs("ETag", "Cache-Control", "X-Request-Id");
const SHARED = { tags: ["Events"], half: "events" } as const;
const ERRORS: Special["errors"] = [
  "bad_request",
  "not_acceptable",
  "server_misconfigured",
  "upstream_error",
];

/** The addresses of the events API. */
export function eventsPaths(): Record<string, PathItem> {
  return {
    "/api/v1/events": {
      get: operation({
        ...SHARED,
        operationId: "listEvents",
        summary: "Every event",
        description: "Returns every event with its card styling.",
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
            description: "Maximum events returned; all of them without it.",
            example: 1,
          }),
          IF_NONE_MATCH,
        ],
        errors: ERRORS,
        responses: {
          200: {
            description: "The events.",
            headers: KEPT,
            content: json("EventList", exampleOf("listEvents").answer),
          },
          304: NOT_MODIFIED,
        },
      }),
    },
    "/api/v1/events/{idOrSlug}": {
      get: operation({
        ...SHARED,
        operationId: "getEvent",
        summary: "One event",
        description: "Returns the event with this id, else the one with this slug.",
        parameters: [
          {
            name: "idOrSlug",
            in: "path",
            required: true,
            description: "The event's id or its slug. Prefer the id: a slug changes with the name.",
            schema: { type: "string" },
            example: "rec8Tq2mVx1LhYb0a",
          },
          IF_NONE_MATCH,
        ],
        errors: [...ERRORS, "not_found"],
        responses: {
          200: {
            description: "The event.",
            headers: KEPT,
            content: json("EventItem", exampleOf("getEvent").answer),
          },
          304: NOT_MODIFIED,
        },
      }),
    },
    "/api/v1/events/rss": {
      get: operation({
        ...SHARED,
        operationId: "getEventsFeed",
        summary: "New events as RSS",
        description: "An RSS 2.0 feed of the events added last, newest first, in whatever state.",
        parameters: [
          queryParameter("limit", FEED_PARAMETERS.limit, {
            description: "Maximum events in the feed.",
            default: DEFAULT_FEED_LIMIT,
            example: 1,
          }),
          IF_NONE_MATCH,
        ],
        errors: ERRORS,
        responses: {
          200: {
            description: "The feed.",
            headers: { ...KEPT, ...headerRefs("Last-Modified") },
            content: {
              "application/rss+xml": {
                schema: { type: "string" },
                example: exampleOf("getEventsFeed").answer,
              },
            },
          },
          304: NOT_MODIFIED,
        },
      }),
    },
  };
}
