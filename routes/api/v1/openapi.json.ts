/** `/api/v1/openapi.json`: the OpenAPI 3.1 document of the service. */

import { answerMachine } from "../../(_shared)/reference.ts";
import { methods } from "../../(_shared)/methods.ts";

export const handler = methods({ GET: (ctx) => answerMachine(ctx, "description") });
