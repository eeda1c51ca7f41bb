/** `GET /proxy/v1/models`: every chat and embedding model. No key is needed. */

import { MODEL_LIST_PARAMETERS } from "../../../../lib/proxy/models.ts";
import {
  json,
  type Operation,
  queryParameters,
} from "../../../../lib/operate/reference/operation.ts";
import { modelListSchema } from "../../../../lib/operate/reference/schemas.ts";
import { methods } from "../../../../lib/operate/routes/methods.ts";

export const handler = methods({
  GET: (ctx) => ctx.state.services.models.list("all", ctx),
});

export const operation: Operation = {
  operationId: "listModels",
  group: "Models",
  summary: "List models",
  description: "Returns the chat and embedding models.",
  parameters: queryParameters(MODEL_LIST_PARAMETERS, {
    offset: { description: "Number of models to skip.", default: 0 },
    limit: {
      description: "Maximum number of models returned. Without it, every model is returned.",
      example: 1,
    },
    category: { description: "The router's category." },
    supported_parameters: {
      description: "Only models that support each of these parameters, separated by commas.",
    },
    input_modalities: { description: "Only models that read each of these, such as text,image." },
    output_modalities: {
      description:
        "Only models that put out one of these, such as text,image; all for every model of the router, also those " +
        "that are for neither chat nor embeddings.",
    },
    sort: { description: "The router's order. Models without a place in it come last." },
  }),
  errors: ["bad_request", "upstream_error"],
  answer: { description: "The models.", headers: ["Age"], content: json(modelListSchema) },
};
