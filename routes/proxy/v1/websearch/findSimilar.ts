/** `POST /proxy/v1/websearch/findSimilar`: finds pages similar to a URL. */

import { z } from "zod";
import { json } from "../../../../lib/operate/reference/operation.ts";
import { websearchSchema } from "../../../../lib/operate/reference/schemas.ts";
import { forwardingRoute } from "../../../../lib/operate/routes/proxy_route.ts";

const requestSchema = z.looseObject({
  url: z.string().min(1).describe("The page to find similar pages for."),
  numResults: z.int().min(1).optional().describe("The number of results requested."),
}).meta({ id: "FindSimilarRequest" });

export const { handler, operation } = forwardingRoute("findSimilar", {
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
