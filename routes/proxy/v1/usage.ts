/** `GET /proxy/v1/usage`: the caller's spending and the rest of the limit. */

import { USAGE_PARAMETERS, usageSchema } from "../../../lib/proxy/usage.ts";
import { json, type Operation, queryParameters } from "../../../lib/operate/reference/operation.ts";
import { methods } from "../../../lib/operate/routes/methods.ts";

export const handler = methods({
  GET: ({ req: request, state: { requestId, notes, services: { proxy } } }) =>
    proxy.usage({ request, requestId, notes }),
});

export const operation: Operation = {
  operationId: "getUsage",
  group: "Account and health",
  summary: "Usage",
  description:
    "Returns the account's spending today, the amount left, and the state of its rate limit.",
  needsKey: true,
  parameters: queryParameters(USAGE_PARAMETERS, {
    days: { description: "Number of days returned, including today.", default: 1, example: 2 },
  }),
  errors: ["bad_request"],
  answer: {
    description: "The account's usage.",
    headers: ["RateLimit", "RateLimit-Policy"],
    content: json(usageSchema),
  },
  isUncached: true,
};
