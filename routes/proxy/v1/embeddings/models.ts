/** `GET /proxy/v1/embeddings/models`: the embedding models. No key is needed. */

import type { Operation } from "../../../../lib/reference/mod.ts";
import { operation as listModels } from "../models/index.ts";
import { methods } from "../../../(_shared)/methods.ts";

export const handler = methods({
  GET: ({ req: request, state: { services: { models } } }) => models.list("embeddings", request),
});

export const operation: Operation = {
  ...listModels,
  operationId: "listEmbeddingModels",
  summary: "List embedding models",
  description: "Returns the embedding models only.",
};
