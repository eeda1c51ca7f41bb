/** `GET /proxy/v1/models/{author}/{slug}/endpoints`: who runs one model, and at what price. No key is needed. */

import { z } from "zod";
import {
  json,
  type Operation,
  pathParameter,
} from "../../../../../../lib/operate/reference/operation.ts";
import { modelSchema } from "../../../../../../lib/operate/reference/schemas.ts";
import { methods } from "../../../../../../lib/operate/routes/methods.ts";

export const handler = methods({
  GET: (ctx) => ctx.state.services.models.endpoints(`${ctx.params.author}/${ctx.params.slug}`, ctx),
});

const endpointsSchema = z.looseObject({
  data: z.looseObject({
    id: modelSchema.shape.id,
    endpoints: z.array(z.looseObject({})),
  }),
}).meta({ id: "ModelEndpoints" });

export const operation: Operation = {
  operationId: "listModelEndpoints",
  group: "Models",
  summary: "List one model's endpoints",
  description: "Returns the endpoints of a chat or embedding model, as the router describes them.",
  parameters: [
    pathParameter("author", {
      description: "The first part of the model's id.",
      example: "sandbox",
    }),
    pathParameter("slug", { description: "The second part.", example: "auto" }),
  ],
  errors: ["not_found", "upstream_error"],
  answer: {
    description: "The model with its endpoints.",
    headers: ["Age"],
    content: json(endpointsSchema),
  },
};
