/** `/llms-full.txt`: every document in one file. */

import { llmsFull } from "../lib/documents/mod.ts";
import { answerText } from "./(_shared)/documents.tsx";
import { methods } from "./(_shared)/methods.ts";

export const handler = methods({
  GET: (ctx) => answerText(ctx, "/llms-full.txt", llmsFull),
});
