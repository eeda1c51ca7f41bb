/** `/llms-full.txt`: every document in one file. */

import { llmsFull, methods } from "../lib/operate/mod.ts";
import { answerText } from "../components/documents/documents.tsx";

export const handler = methods({
  GET: (ctx) => answerText(ctx, "/llms-full.txt", llmsFull),
});
