/** `GET /events/{idOrSlug}/background`: the picture behind the event's card. */

import { methods } from "../../../lib/http/mod.ts";
import type { Operation } from "../../../lib/reference/mod.ts";
import type { State } from "../../../lib/service/mod.ts";
import { answerImage } from "../../(_shared)/image.ts";
import { imageOperation } from "../../(_shared)/image_operation.ts";

export const handler = methods<State>({ GET: (ctx) => answerImage(ctx, "background") });

export const operation: Operation = imageOperation("background", {
  operationId: "getEventBackground",
  summary: "Background of an event's card",
});
