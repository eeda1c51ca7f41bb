/** `GET /events/{id}/background`: the picture behind the event's card. */

import { methods } from "../../../lib/http/mod.ts";
import type { State } from "../../../lib/state.ts";
import { answerImage } from "../../(_shared)/image.ts";

export const handler = methods<State>({ GET: (ctx) => answerImage(ctx, "background") });
