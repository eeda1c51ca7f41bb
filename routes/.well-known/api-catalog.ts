/** `/.well-known/api-catalog`: the API catalog (RFC 9727). */

import { methods } from "../../lib/http/mod.ts";
import type { State } from "../../lib/service/mod.ts";
import { answerMachine } from "../(_shared)/reference.ts";

export const handler = methods<State>({ GET: (ctx) => answerMachine(ctx, "catalog") });
