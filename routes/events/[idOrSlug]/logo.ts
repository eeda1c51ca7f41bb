/** `GET /events/{idOrSlug}/logo`: the event's logo. */

import { imageRoute } from "../../../components/shared/image.ts";

export const { handler, operation } = imageRoute("logo", {
  operationId: "getEventLogo",
  summary: "Logo of an event",
});
