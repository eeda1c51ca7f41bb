/** `POST /proxy/v1/websearch/contents`: extracts pages (proxy contract, section 4). */

import { methods } from "../../../../lib/http/methods.ts";
import type { State } from "../../../../lib/state.ts";

export const handler = methods<State>({
  POST: ({ req: request, state: { requestId, notes, services: { proxy } } }) =>
    proxy.forward("contents", { request, requestId, notes }),
});
