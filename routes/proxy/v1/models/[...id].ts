/**
 * `GET /proxy/v1/models/{id}`: one model. Ids hold a slash, which clients encode (`vendor%2Fname`) or not.
 */

import { nothingHere } from "../../../../lib/platform/http/errors.ts";
import { pathOf } from "../../../../lib/platform/address.ts";
import {
  json,
  type Operation,
  pathParameter,
} from "../../../../lib/operate/reference/operation.ts";
import { modelSchema } from "../../../../lib/operate/reference/schemas.ts";
import { methods } from "../../../../lib/operate/routes/methods.ts";

const PREFIX = "/proxy/v1/models/";

export const handler = methods({
  GET(ctx) {
    const id = decode(pathOf(ctx.req.url).slice(PREFIX.length));
    return ctx.state.services.models.get(id, ctx);
  },
});

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A broken escape: no id has one.
    throw nothingHere();
  }
}

export const operation: Operation = {
  operationId: "getModel",
  group: "Models",
  summary: "One model",
  description: "Returns the chat or embedding model with this id.",
  parameters: [
    pathParameter("id", {
      description: "The model's id. Its slash may be percent-encoded.",
      example: "sandbox/auto",
    }),
  ],
  errors: ["bad_request", "not_found", "upstream_error"],
  answer: { description: "The model.", headers: ["Age"], content: json(modelSchema) },
};
