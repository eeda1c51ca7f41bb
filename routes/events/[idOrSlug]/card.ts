/** `GET /events/{idOrSlug}/card`: the picture that the event's page is shared with. */

import type { Operation } from "../../../lib/operate/reference/operation.ts";
import { EVENT_PARAMETER } from "../../../lib/operate/reference/parameters.ts";
import { methods } from "../../../lib/operate/routes/methods.ts";
import { noEvent, sendVersion } from "../../../components/shared/image.ts";

export const handler = methods({
  async GET(ctx) {
    const { events, sharing } = ctx.state.services;
    const catalog = await events.catalog();
    const event = catalog.event(ctx.params["idOrSlug"] ?? "");
    if (event === null) throw noEvent(catalog);
    return await sendVersion(ctx, catalog, sharing.version(catalog, event), async () => {
      const { bytes, type, lacksImage } = await sharing.get(catalog, event);
      return { bytes, type, isFinal: !lacksImage };
    });
  },
});

export const operation: Operation = {
  operationId: "getEventCard",
  group: "Pictures",
  summary: "Picture for sharing",
  description: "A picture of the event in its own style, with its name, dates and place, painted " +
    "when it is first requested.",
  parameters: [EVENT_PARAMETER],
  errors: ["not_found", "server_misconfigured", "upstream_error"],
  answer: {
    description: "The picture.",
    content: { "image/png": { schema: {} }, "image/jpeg": { schema: {} } },
  },
  otherResponses: {
    503: {
      description: "The picture cannot be painted now; Retry-After says when to try again.",
      content: {
        "application/json": { schema: { type: "object" } },
        "text/plain": { schema: { type: "string" } },
        "text/html": { schema: { type: "string" } },
      },
    },
  },
};
