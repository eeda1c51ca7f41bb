/**
 * `/api/v1/openapi.json`: the OpenAPI 3.1 document of the service. It is made from the list of all operations: routes
 * describe their own, and this file those of the documents.
 */

import {
  ADDRESSES,
  type Operations,
  referenceOf,
} from "../../../lib/operate/reference/reference.ts";
import { methods } from "../../../lib/operate/routes/methods.ts";
import { answerJson } from "../../../components/documents/documents.tsx";
import { operation as getEvent } from "./events/[idOrSlug].ts";
import { operation as listEvents } from "./events/index.ts";
import { operation as getEventsFeed } from "./events/rss.ts";
import { operation as getCalendar } from "../../calendar.ics.ts";
import { operation as getEventCalendar } from "../../events/[idOrSlug].ics.ts";
import { operation as getEventBackground } from "../../events/[idOrSlug]/background.ts";
import { operation as getEventCard } from "../../events/[idOrSlug]/card.ts";
import { operation as getEventLogo } from "../../events/[idOrSlug]/logo.ts";
import { operation as getAtomFeed } from "../../feed.atom.ts";
import { operation as getJsonFeed } from "../../feed.json.ts";
import { operation as listDecisionModels } from "../../proxy/v1/decision/models.ts";
import { operation as decide } from "../../proxy/v1/decision/systemone.ts";
import { operation as listEmbeddingModels } from "../../proxy/v1/embeddings/models.ts";
import { operation as getModel } from "../../proxy/v1/models/[...id].ts";
import { operation as countModels } from "../../proxy/v1/models/count.ts";
import { operation as listModelEndpoints } from "../../proxy/v1/models/[author]/[slug]/endpoints.ts";
import { operation as listModels } from "../../proxy/v1/models/index.ts";
import { operation as getUsage } from "../../proxy/v1/usage.ts";
import { operation as answerFromWeb } from "../../proxy/v1/websearch/answer.ts";
import { operation as extractPages } from "../../proxy/v1/websearch/contents.ts";
import { operation as findSimilarPages } from "../../proxy/v1/websearch/findSimilar.ts";
import { operation as searchWeb } from "../../proxy/v1/websearch/search.ts";
import { operation as getHealth } from "../../up.ts";

/** Every operation, in the order of the reference. */
export const OPERATIONS: Operations = {
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
  "/proxy/v1/decision/models": listDecisionModels,
  "/proxy/v1/models": listModels,
  "/proxy/v1/embeddings/models": listEmbeddingModels,
  "/proxy/v1/models/count": countModels,
  "/proxy/v1/models/{id}": getModel,
  "/proxy/v1/models/{author}/{slug}/endpoints": listModelEndpoints,
  "/proxy/v1/usage": getUsage,
  "/up": getHealth,
  "/api/v1/openapi.json": {
    operationId: "getDescription",
    group: "Documents",
    summary: "OpenAPI document",
    description: "The OpenAPI 3.1 document from which this reference is made.",
    errors: ["method_not_allowed"],
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

export const handler = methods({
  GET: (ctx) =>
    answerJson(ctx, {
      address: ADDRESSES.description,
      contentType: "application/json",
      link: `<${ADDRESSES.page}>; rel="service-doc"`,
      make: (config) => referenceOf(ctx.state.operations)(config).openApi,
    }),
});

function page(operationId: string, summary: string, description: string): Operations[string] {
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
