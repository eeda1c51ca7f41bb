/** `GET /proxy/v1/usage`: what the caller has spent, and what is left. */

import { methods } from "../../../lib/http/mod.ts";
import { USAGE_PARAMETERS, usageSchema } from "../../../lib/proxy/mod.ts";
import { json, type Operation, queryParameter } from "../../../lib/reference/mod.ts";
import type { State } from "../../../lib/state.ts";

export const handler = methods<State>({
  GET: ({ req: request, state: { requestId, notes, services: { proxy } } }) =>
    proxy.usage({ request, requestId, notes }),
});

export const operation: Operation = {
  operationId: "getUsage",
  group: "Account and health",
  summary: "What was spent",
  description: "What the caller has spent today, what is left, and where the rate stands.",
  needsKey: true,
  parameters: [
    queryParameter("days", USAGE_PARAMETERS.days, {
      description: "Days to tell of, today included.",
      default: 1,
      example: 2,
    }),
  ],
  errors: ["bad_request"],
  answer: {
    description: "Where the caller stands.",
    headers: ["RateLimit", "RateLimit-Policy"],
    content: json(usageSchema),
  },
};
