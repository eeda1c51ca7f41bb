/** `GET /proxy/v1/usage`: what the caller has spent, and what is left. */

import { methods } from "../../../lib/http/methods.ts";
import type { State } from "../../../lib/state.ts";

export const handler = methods<State>({
  GET: ({ req: request, state: { requestId, notes, services: { proxy } } }) =>
    proxy.usage({ request, requestId, notes }),
});
