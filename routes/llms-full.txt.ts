/** `/llms-full.txt`: every document in one file. */

import { llmsFull } from "../lib/documents/mod.ts";
import { methods } from "../lib/http/mod.ts";
import type { State } from "../lib/service/mod.ts";
import { answerText } from "./(_shared)/documents.tsx";

export const handler = methods<State>({
  GET: (ctx) => answerText(ctx, "/llms-full.txt", llmsFull),
});
