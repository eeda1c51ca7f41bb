/** `GET /proxy/v1/models/{id}`: one model. Some clients encode the slash of an id (`vendor%2Fname`). */

import { methods, nothingHere, pathOf, searchOf } from "../../../../lib/http/mod.ts";
import { json, modelSchema, type Operation, pathParameter } from "../../../../lib/reference/mod.ts";
import type { State } from "../../../../lib/state.ts";

const PREFIX = "/proxy/v1/models/";

export const handler = methods<State>({
  GET({ req: request, state: { services: { models } } }) {
    const id = decode(pathOf(request.url).slice(PREFIX.length));
    return models.get(id, { request, search: searchOf(request.url) });
  },
});

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // No id has a malformed escape.
    throw nothingHere();
  }
}

export const operation: Operation = {
  operationId: "getModel",
  group: "Models",
  summary: "One model",
  description: "One model of the lists.",
  parameters: [
    pathParameter("id", {
      description: "The model's id; its slash may be encoded.",
      example: "sandbox/auto",
    }),
  ],
  errors: ["bad_request", "not_found", "upstream_error"],
  answer: { description: "The model.", headers: ["Age"], content: json(modelSchema) },
  isKept: true,
};
