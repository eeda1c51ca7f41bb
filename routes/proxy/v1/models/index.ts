/** `GET /proxy/v1/models`: every chat and embedding model (proxy contract, section 4). No key is needed. */

import { methods } from "../../../../lib/http/mod.ts";
import { LIST_PARAMETERS } from "../../../../lib/proxy/mod.ts";
import {
  json,
  modelListSchema,
  type Operation,
  queryParameter,
} from "../../../../lib/reference/mod.ts";
import type { State } from "../../../../lib/state.ts";

export const handler = methods<State>({
  GET: ({ req: request, state: { services: { models } } }) => models.list("all", request),
});

export const operation: Operation = {
  operationId: "listModels",
  group: "Models",
  summary: "Every model",
  description: "Every chat and embedding model.",
  parameters: [
    queryParameter("offset", LIST_PARAMETERS.offset, {
      description: "Models to leave out at the start.",
      default: 0,
    }),
    queryParameter("limit", LIST_PARAMETERS.limit, {
      description: "Maximum models returned; all of them without it.",
      example: 1,
    }),
  ],
  errors: ["bad_request", "upstream_error"],
  answer: { description: "The models.", headers: ["Age"], content: json(modelListSchema) },
  isKept: true,
};
