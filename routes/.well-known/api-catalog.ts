/** `/.well-known/api-catalog`: where the APIs are and what describes them (RFC 9727). */

import { methods } from "../../lib/http/mod.ts";
import type { State } from "../../lib/state.ts";
import { answerCatalog } from "../(_components)/reference.tsx";

export const handler = methods<State>({ GET: answerCatalog });
