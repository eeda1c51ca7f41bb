/** `GET /events/{idOrSlug}/background`: the picture behind the event's card. */

import { imageRoute } from "../../../components/shared/image.ts";

export const { handler, operation } = imageRoute("background", {
  operationId: "getEventBackground",
  summary: "Background of an event's card",
});
