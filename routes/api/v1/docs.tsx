/** `/api/v1/docs`: the API reference (events contract, section 1). */

import { methods } from "../../../lib/http/mod.ts";
import type { State } from "../../../lib/state.ts";
import { answerReference } from "../../(_components)/reference.tsx";

export const handler = methods<State>({ GET: answerReference });
