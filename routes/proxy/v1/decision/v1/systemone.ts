/** `POST /proxy/v1/decision/v1/systemone`: the path that official clients call (proxy contract, section 4). */

import type { Operation } from "../../../../../lib/reference/mod.ts";
import { operation as decide } from "../systemone.ts";

export { handler } from "../systemone.ts";

export const operation: Operation = {
  ...decide,
  operationId: "decideAtClientPath",
  summary: "Decide, at the path that official clients call",
  answersAs: decide.operationId,
};
