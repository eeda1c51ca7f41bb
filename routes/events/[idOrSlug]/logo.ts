/** `GET /events/{idOrSlug}/logo`: the event's logo. */

import { methods } from "../../../lib/http/mod.ts";
import type { Operation } from "../../../lib/reference/mod.ts";
import type { State } from "../../../lib/service/mod.ts";
import { answerImage } from "../../(_shared)/image.ts";
import { imageOperation } from "../../(_shared)/image_operation.ts";

export const handler = methods<State>({ GET: (ctx) => answerImage(ctx, "logo") });

export const operation: Operation = imageOperation("logo", {
  operationId: "getEventLogo",
  summary: "Logo of an event",
});
