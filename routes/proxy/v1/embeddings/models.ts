/** `GET /proxy/v1/embeddings/models`: the embedding models. No key is needed. */

import type { Operation } from "../../../../lib/operate/reference/operation.ts";
import { methods } from "../../../../lib/operate/routes/methods.ts";
import { operation as listModels } from "../models/index.ts";

export const handler = methods({
  GET: (ctx) => ctx.state.services.models.list("embeddings", ctx),
});

export const operation: Operation = {
  ...listModels,
  operationId: "listEmbeddingModels",
  summary: "List embedding models",
  description: "Returns the embedding models only.",
};
