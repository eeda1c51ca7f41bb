/** `POST /proxy/v1/decision/systemone`: structured decisions. */

import { z } from "zod";
import { decisionRequestSchema } from "../../../../lib/proxy/decision_request.ts";
import { json } from "../../../../lib/operate/reference/operation.ts";
import { forwardingRoute } from "../../../../lib/operate/routes/proxy_route.ts";

const probability = z.number().min(0).max(1);
const answerSchema = z.union([
  z.looseObject({ type: z.literal("noul"), noul: probability }),
  z.looseObject({
    type: z.literal("choice"),
    choice: z.string().describe("The chosen option."),
    probabilities: z.record(z.string(), probability),
    confidence: probability,
  }),
  z.looseObject({
    type: z.literal("score"),
    score: z.number().describe("May lie between two levels."),
    legend: z.record(z.string(), z.string()).describe("The text of each level, by its index."),
    probabilities: z.record(z.string(), probability),
    confidence: probability,
  }),
]).meta({ id: "DecisionAnswer" });
const responseSchema = z.looseObject({
  model: z.string().describe("The versioned id of the model that answered."),
  answers: z.record(z.string(), answerSchema).describe(
    "The answer to each question, by the question's id.",
  ),
  usage: z.looseObject({
    input_tokens: z.int().describe("The number of tokens charged."),
    output_tokens: z.int(),
  }),
}).meta({ id: "DecisionResponse" });

const EXAMPLE = {
  state: "The parcel came late.",
  questions: {
    upset: { type: "noul", instructions: "Is the customer upset?" },
    topic: {
      type: "choice",
      instructions: "What is it about?",
      criteria: { delivery: "a parcel", billing: "money" },
    },
    urgency: {
      type: "score",
      instructions: "How urgent is it?",
      criteria: ["can wait", "today", "now"],
    },
  },
};

export const { handler, operation } = forwardingRoute("decision", {
  operationId: "decide",
  group: "Decisions",
  summary: "Decide",
  description: "Answers each question about a state with a probability, an option or a score. " +
    "Official clients call /proxy/v1/decision/v1/systemone, which is the same.",
  body: { schema: decisionRequestSchema, example: EXAMPLE },
  answer: json(responseSchema),
});
