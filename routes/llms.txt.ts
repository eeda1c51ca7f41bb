/** `/llms.txt`: the index of pages for readers without a browser (llmstxt.org). */

import { llmsIndex } from "../lib/documents/mod.ts";
import { answerText } from "./(_shared)/documents.tsx";
import { methods } from "./(_shared)/methods.ts";

export const handler = methods({ GET: (ctx) => answerText(ctx, "/llms.txt", llmsIndex) });
