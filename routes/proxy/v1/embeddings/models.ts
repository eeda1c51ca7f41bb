/** `GET /proxy/v1/embeddings/models`: the embedding models (proxy contract, section 4). No key is needed. */

import { methods } from "../../../../lib/http/methods.ts";
import { searchOf } from "../../../../lib/http/query.ts";
import type { Operation } from "../../../../lib/reference/operation.ts";
import type { State } from "../../../../lib/state.ts";
import { operation as listModels } from "../models/index.ts";

export const handler = methods<State>({
  GET: ({ req: request, state: { services: { models } } }) =>
    models.list("embeddings", { request, search: searchOf(request.url) }),
});

export const operation: Operation = {
  ...listModels,
  operationId: "listEmbeddingModels",
  summary: "Embedding models",
  description: "Only the embedding models.",
};
