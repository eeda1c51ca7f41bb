/** `GET /proxy/v1/decision/models`: what the `model` field of a decision takes (proxy contract, section 4). */

import { methods } from "../../../../lib/http/methods.ts";
import type { State } from "../../../../lib/state.ts";

export const handler = methods<State>({
  GET: ({ req: request, state: { requestId, notes, services: { proxy } } }) =>
    proxy.decisionModels({ request, requestId, notes }),
});
