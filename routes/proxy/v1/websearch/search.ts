/** `POST /proxy/v1/websearch/search`: searches the web. */

import { z } from "zod";
import { json } from "../../../../lib/operate/reference/operation.ts";
import { websearchSchema } from "../../../../lib/operate/reference/schemas.ts";
import { forwardingRoute } from "../../../../lib/operate/routes/proxy_route.ts";

const requestSchema = z.looseObject({
  query: z.string().min(1).describe("The search query."),
  numResults: z.int().min(1).optional().describe("The number of results requested."),
}).meta({ id: "SearchRequest" });

export const { handler, operation } = forwardingRoute("search", {
  operationId: "searchWeb",
  group: "Web search",
  summary: "Search the web",
  description: "Searches the web. Other fields are passed on to the provider.",
  body: { schema: requestSchema, example: { query: "how tides work", numResults: 1 } },
  answer: json(websearchSchema),
});
