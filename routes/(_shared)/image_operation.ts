/** The descriptions of the operations that answer with a picture of an event. */

import { IMAGE_WIDTHS, type ImageRole } from "../../lib/pictures/mod.ts";
import { type Operation, pathParameter, queryParameter } from "../../lib/reference/mod.ts";
import { oneOf } from "../../lib/parameters.ts";

/** The path parameter of every address that belongs to one event. */
export const EVENT_PARAMETER = pathParameter("idOrSlug", {
  description: "The event's id or its slug. Prefer the id: a slug changes with the name.",
  example: "rec8Tq2mVx1LhYb0a",
});

const picture = { schema: {} };

/** An event's own image. */
export function imageOperation(
  role: ImageRole,
  { operationId, summary }: Pick<Operation, "operationId" | "summary">,
): Operation {
  return {
    operationId,
    group: "Pictures",
    summary,
    description:
      `The ${role} of an event, at an address that does not expire. The response is the ` +
      `file as the organisation uploaded it, or a smaller WebP file. An event without a ${role} is ` +
      "a 404 that says so.",
    parameters: [
      EVENT_PARAMETER,
      queryParameter("w", oneOf(IMAGE_WIDTHS.map(String)), {
        description: "The width in pixels that is enough. Without it, and until the smaller file " +
          "has been made, the image has its own size.",
      }),
    ],
    errors: ["not_found", "server_misconfigured", "upstream_error"],
    answer: {
      description: "The image.",
      content: Object.fromEntries(
        ["image/png", "image/jpeg", "image/webp", "image/gif", "image/avif"]
          .map((type) => [type, picture]),
      ),
    },
    isKept: true,
  };
}

/** The picture that an event is shared with. */
export const CARD_OPERATION: Operation = {
  operationId: "getEventCard",
  group: "Pictures",
  summary: "Picture for sharing",
  description: "A picture of the event in its own style, with its name, dates and place, painted " +
    "when it is first requested.",
  parameters: [EVENT_PARAMETER],
  errors: ["not_found", "server_misconfigured", "upstream_error"],
  answer: { description: "The picture.", content: { "image/png": picture } },
  otherResponses: {
    503: {
      description: "The picture cannot be painted now; Retry-After says when to try again.",
      content: {
        "application/json": { schema: { type: "object" } },
        "text/html": { schema: { type: "string" } },
      },
    },
  },
  isKept: true,
};
