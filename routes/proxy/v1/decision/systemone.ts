/** `POST /proxy/v1/decision/systemone`: structured decisions (proxy contract, section 4). */

import { methods } from "../../../../lib/http/methods.ts";
import type { State } from "../../../../lib/state.ts";

export const handler = methods<State>({
  POST: ({ req: request, state: { requestId, notes, services: { proxy } } }) =>
    proxy.forward("decision", { request, requestId, notes }),
});
