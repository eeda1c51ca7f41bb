/** `/llms-full.txt`: every document in one file. */

import { llmsFull } from "../lib/operate/documents/listings.ts";
import { methods } from "../lib/operate/routes/methods.ts";
import { answerText } from "../components/documents/documents.tsx";

export const handler = methods({
  GET: (ctx) => answerText(ctx, "/llms-full.txt", llmsFull),
});
