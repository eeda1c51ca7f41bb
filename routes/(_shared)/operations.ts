/** The operations of the APIs by their addresses. Routes describe their own; this file describes the documents'. */

import type { Config } from "../../lib/config/mod.ts";
import { memoize } from "../../lib/memoize.ts";
import { buildReference, type Operation } from "../../lib/reference/mod.ts";
import { operation as getEvent } from "../api/v1/events/[idOrSlug].ts";
import { operation as listEvents } from "../api/v1/events/index.ts";
import { operation as getEventsFeed } from "../api/v1/events/rss.ts";
import { operation as getCalendar } from "../calendar.ics.ts";
import { operation as getEventCalendar } from "../events/[idOrSlug].ics.ts";
import { operation as getEventBackground } from "../events/[idOrSlug]/background.ts";
import { operation as getEventCard } from "../events/[idOrSlug]/card.ts";
import { operation as getEventLogo } from "../events/[idOrSlug]/logo.ts";
import { operation as getAtomFeed } from "../feed.atom.ts";
import { operation as getJsonFeed } from "../feed.json.ts";
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
  "/feed.atom": getAtomFeed,
  "/feed.json": getJsonFeed,
  "/calendar.ics": getCalendar,
  "/events/{idOrSlug}.ics": getEventCalendar,
  "/events/{idOrSlug}/card": getEventCard,
  "/events/{idOrSlug}/logo": getEventLogo,
  "/events/{idOrSlug}/background": getEventBackground,
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
  "/api/v1/openapi.json": {
    operationId: "getDescription",
    group: "Documents",
    summary: "OpenAPI document",
    description: "The OpenAPI 3.1 document from which this reference is made.",
    errors: [],
    answer: {
      description: "The OpenAPI document.",
      headers: ["Link"],
      content: { "application/json": { schema: { type: "object" } } },
    },
  },
  "/api/v1/docs": page("getReference", "API reference", "This reference as a page."),
  "/api/versioning": page(
    "getVersioning",
    "Versioning",
    "The versioning policy: which changes a version allows, and which changes were made.",
  ),
};

/** The reference of these operations for a service; built once. */
export const referenceOf = memoize((config: Config) => buildReference(config, OPERATIONS));

function page(operationId: string, summary: string, description: string): Operation {
  const text = { schema: { type: "string" } };
  return {
    operationId,
    group: "Documents",
    summary,
    description: `${description} The Accept header chooses HTML or markdown; ` +
      "with .md appended to the address, the response is always markdown.",
    errors: ["not_acceptable"],
    answer: {
      description: "The page.",
      headers: ["Link"],
      content: { "text/html": text, "text/markdown": text },
    },
  };
}
