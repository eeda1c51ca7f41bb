/** `GET /proxy/v1/decision/v1/models`: the path that official clients call. */

import { atClientPath } from "../../../../../lib/operate/mod.ts";
import { operation as listModels } from "../models.ts";

export { handler } from "../models.ts";

export const operation = atClientPath(listModels, "listDecisionModelsAtClientPath");
