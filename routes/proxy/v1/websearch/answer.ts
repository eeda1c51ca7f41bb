/** `POST /proxy/v1/websearch/answer`: answers a question from the web. */

import { z } from "zod";
import { json, recordedAnswer } from "../../../../lib/operate/reference/operation.ts";
import { websearchSchema } from "../../../../lib/operate/reference/schemas.ts";
import { forwardingRoute } from "../../../../lib/operate/routes/proxy_route.ts";

const requestSchema = z.looseObject({
  query: z.string().min(1).describe("The question."),
  stream: z.boolean().optional().describe(
    "Whether the response is a stream of server-sent events.",
  ),
}).meta({ id: "AnswerRequest" });

export const { handler, operation } = forwardingRoute("answer", {
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
