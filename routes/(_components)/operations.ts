/** The operations of the APIs by their addresses, as the routes describe them. */

import { DOCUMENT_OPERATIONS, type Operation } from "../../lib/reference/mod.ts";
import { operation as getEvent } from "../api/v1/events/[idOrSlug].ts";
import { operation as listEvents } from "../api/v1/events/index.ts";
import { operation as getEventsFeed } from "../api/v1/events/rss.ts";
import { operation as listDecisionModels } from "../proxy/v1/decision/models.ts";
import { operation as decide } from "../proxy/v1/decision/systemone.ts";
import { operation as listDecisionModelsAtClientPath } from "../proxy/v1/decision/v1/models.ts";
import { operation as decideAtClientPath } from "../proxy/v1/decision/v1/systemone.ts";
import { operation as listEmbeddingModels } from "../proxy/v1/embeddings/models.ts";
import { operation as getModel } from "../proxy/v1/models/[...id].ts";
import { operation as listModels } from "../proxy/v1/models/index.ts";
import { operation as getUsage } from "../proxy/v1/usage.ts";
import { operation as answerFromWeb } from "../proxy/v1/websearch/answer.ts";
import { operation as extractPages } from "../proxy/v1/websearch/contents.ts";
import { operation as findSimilarPages } from "../proxy/v1/websearch/findSimilar.ts";
import { operation as searchWeb } from "../proxy/v1/websearch/search.ts";
import { operation as getHealth } from "../up.ts";

/** Every operation, in the order of the reference. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  "/api/v1/events": listEvents,
  "/api/v1/events/{idOrSlug}": getEvent,
  "/api/v1/events/rss": getEventsFeed,
  "/proxy/v1/websearch/search": searchWeb,
  "/proxy/v1/websearch/findSimilar": findSimilarPages,
  "/proxy/v1/websearch/contents": extractPages,
  "/proxy/v1/websearch/answer": answerFromWeb,
  "/proxy/v1/decision/systemone": decide,
  "/proxy/v1/decision/v1/systemone": decideAtClientPath,
  "/proxy/v1/decision/models": listDecisionModels,
  "/proxy/v1/decision/v1/models": listDecisionModelsAtClientPath,
  "/proxy/v1/models": listModels,
  "/proxy/v1/embeddings/models": listEmbeddingModels,
  "/proxy/v1/models/{id}": getModel,
  "/proxy/v1/usage": getUsage,
  "/up": getHealth,
  ...DOCUMENT_OPERATIONS,
};
