/** `GET /events/{idOrSlug}/card`: the picture that the event's page is shared with. */

import { methods } from "../../../lib/http/mod.ts";
import type { State } from "../../../lib/service/mod.ts";
import { answerSharingPicture } from "../../(_shared)/image.ts";

export { CARD_OPERATION as operation } from "../../(_shared)/image_operation.ts";

export const handler = methods<State>({ GET: answerSharingPicture });
