/** `GET /proxy/v1/decision/models`: the models for decisions. */

import { z } from "zod";
import { json, type Operation } from "../../../../lib/operate/reference/operation.ts";
import { methods } from "../../../../lib/operate/routes/methods.ts";

export const handler = methods({
  GET: ({ req: request, info, state: { requestId, notes, services: { proxy } } }) =>
    proxy.decisionModels({ request, requestId, notes }, info),
});

const modelsSchema = z.looseObject({
  models: z.array(
    z.looseObject({ name: z.string().describe("A value for the field model of a decision.") }),
  ),
}).meta({ id: "DecisionModels" });

export const operation: Operation = {
  operationId: "listDecisionModels",
  group: "Decisions",
  summary: "Models for decisions",
  description:
    "Returns the names and aliases that the field model of a decision accepts. Official clients " +
    "call /proxy/v1/decision/v1/models, which is the same.",
  needsKey: true,
  errors: ["bad_request", "server_misconfigured", "upstream_error"],
  answer: {
    description: "The models.",
    headers: ["Age", "RateLimit", "RateLimit-Policy"],
    content: json(modelsSchema),
  },
};
