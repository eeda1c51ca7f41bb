/** `POST /proxy/v1/websearch/contents`: extracts pages. */

import { z } from "zod";
import { json } from "../../../../lib/operate/reference/operation.ts";
import { websearchSchema } from "../../../../lib/operate/reference/schemas.ts";
import { forwardingRoute } from "../../../../lib/operate/routes/proxy_route.ts";

const requestSchema = z.looseObject({
  urls: z.array(z.string()).min(1).describe("The pages to extract."),
}).meta({ id: "ContentsRequest" });

export const { handler, operation } = forwardingRoute("contents", {
  operationId: "extractPages",
  group: "Web search",
  summary: "Extract pages",
  description: "Extracts the contents of pages. Other fields are passed on to the provider.",
  body: { schema: requestSchema, example: { urls: ["https://sandbox.example/science/tides"] } },
  answer: json(websearchSchema),
});
