/** `POST /proxy/v1/websearch/answer`: answers a question from the web (proxy contract, section 4). */

import { z } from "zod";
import { methods } from "../../../../lib/http/mod.ts";
import {
  json,
  providerCall,
  recordedAnswer,
  websearchSchema,
} from "../../../../lib/reference/mod.ts";
import type { State } from "../../../../lib/service/mod.ts";

export const handler = methods<State>({
  POST: ({ req: request, state: { requestId, notes, services: { proxy } } }) =>
    proxy.forward("answer", { request, requestId, notes }),
});

const requestSchema = z.looseObject({
  query: z.string().describe("The question."),
  stream: z.boolean().optional().describe(
    "Whether the response is a stream of server-sent events.",
  ),
}).meta({ id: "AnswerRequest" });

export const operation = providerCall({
  operationId: "answerFromWeb",
  group: "Web search",
  summary: "Answer from the web",
  description:
    "Answers a question from web pages; with stream, as server-sent events. Other fields are passed on to the provider.",
  body: { schema: requestSchema, example: { query: "why are there two tides a day" } },
  answer: {
    ...json(websearchSchema),
    "text/event-stream": {
      schema: { type: "string" },
      example: recordedAnswer("answerFromWeb stream"),
    },
  },
});
