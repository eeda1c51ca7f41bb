/** `POST /proxy/v1/websearch/search`: searches the web (proxy contract, section 4). */

import { z } from "zod";
import { methods } from "../../../../lib/http/mod.ts";
import { json, providerCall, websearchSchema } from "../../../../lib/reference/mod.ts";
import type { State } from "../../../../lib/service/mod.ts";

export const handler = methods<State>({
  POST: ({ req: request, state: { requestId, notes, services: { proxy } } }) =>
    proxy.forward("search", { request, requestId, notes }),
});

const requestSchema = z.looseObject({
  query: z.string().describe("The search query."),
  numResults: z.int().optional().describe("The number of results requested."),
}).meta({ id: "SearchRequest" });

export const operation = providerCall({
  operationId: "searchWeb",
  group: "Web search",
  summary: "Search the web",
  description: "Searches the web. Other fields are passed on to the provider.",
  body: { schema: requestSchema, example: { query: "how tides work", numResults: 1 } },
  answer: json(websearchSchema),
});
