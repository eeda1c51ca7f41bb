/** `POST /proxy/v1/websearch/contents`: extracts pages (proxy contract, section 4). */

import { z } from "zod";
import { methods } from "../../../../lib/http/mod.ts";
import { json, providerCall, websearchSchema } from "../../../../lib/reference/mod.ts";
import type { State } from "../../../../lib/service/mod.ts";

export const handler = methods<State>({
  POST: ({ req: request, state: { requestId, notes, services: { proxy } } }) =>
    proxy.forward("contents", { request, requestId, notes }),
});

const requestSchema = z.looseObject({
  urls: z.array(z.string()).describe("The pages to extract."),
}).meta({ id: "ContentsRequest" });

export const operation = providerCall({
  operationId: "extractPages",
  group: "Web search",
  summary: "Extract pages",
  description: "Extracts the contents of pages. Other fields are passed on to the provider.",
  body: { schema: requestSchema, example: { urls: ["https://sandbox.example/science/tides"] } },
  answer: json(websearchSchema),
});
