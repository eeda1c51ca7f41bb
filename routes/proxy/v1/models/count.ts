/** `GET /proxy/v1/models/count`: how many models the list has. No key is needed. */

import { z } from "zod";
import { json, type Operation } from "../../../../lib/operate/reference/operation.ts";
import { methods } from "../../../../lib/operate/routes/methods.ts";
import { operation as listModels } from "./index.ts";

export const handler = methods({
  GET: (ctx) => ctx.state.services.models.count(ctx),
});

const countSchema = z.object({ data: z.object({ count: z.int() }) }).meta({ id: "ModelCount" });

export const operation: Operation = {
  ...listModels,
  operationId: "countModels",
  summary: "Count models",
  description: "Returns the number of models in the list for the same parameters.",
  parameters: listModels.parameters?.filter(({ name }) => name !== "offset" && name !== "limit") ??
    [],
  answer: { description: "The number.", headers: ["Age"], content: json(countSchema) },
};
