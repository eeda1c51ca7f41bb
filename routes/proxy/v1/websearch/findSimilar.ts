/** `POST /proxy/v1/websearch/findSimilar`: finds pages similar to a URL (proxy contract, section 4). */

import { z } from "zod";
import { methods } from "../../../../lib/http/mod.ts";
import { json, providerCall, websearchSchema } from "../../../../lib/reference/mod.ts";
import type { State } from "../../../../lib/service/mod.ts";

export const handler = methods<State>({
  POST: ({ req: request, state: { requestId, notes, services: { proxy } } }) =>
    proxy.forward("findSimilar", { request, requestId, notes }),
});

const requestSchema = z.looseObject({
  url: z.string().describe("The page to find similar pages for."),
  numResults: z.int().optional().describe("The number of results requested."),
}).meta({ id: "FindSimilarRequest" });

export const operation = providerCall({
  operationId: "findSimilarPages",
  group: "Web search",
  summary: "Find similar pages",
  description:
    "Finds pages that are similar to a page. Other fields are passed on to the provider.",
  body: {
    schema: requestSchema,
    example: { url: "https://sandbox.example/science/tides", numResults: 1 },
  },
  answer: json(websearchSchema),
});
