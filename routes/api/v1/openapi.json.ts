/** `/api/v1/openapi.json`: the OpenAPI 3.1 document of the service. */

import { methods } from "../../../lib/http/mod.ts";
import type { State } from "../../../lib/service/mod.ts";
import { answerMachine } from "../../(_shared)/reference.ts";

export const handler = methods<State>({ GET: (ctx) => answerMachine(ctx, "description") });
