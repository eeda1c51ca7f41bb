/** `GET /proxy/v1/decision/v1/models`: the path that official clients call (proxy contract, section 4). */

import type { Operation } from "../../../../../lib/reference/mod.ts";
import { operation as listModels } from "../models.ts";

export { handler } from "../models.ts";

export const operation: Operation = {
  ...listModels,
  operationId: "listDecisionModelsAtClientPath",
  summary: "Models for decisions, at the path that official clients call",
  answersAs: listModels.operationId,
};
