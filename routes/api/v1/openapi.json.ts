/** `/api/v1/openapi.json`: the service described for machines, OpenAPI 3.1. */

import { methods } from "../../../lib/http/mod.ts";
import type { State } from "../../../lib/state.ts";
import { answerDescription } from "../../(_components)/reference.tsx";

export const handler = methods<State>({ GET: answerDescription });
