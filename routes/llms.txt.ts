/** `/llms.txt`: the index of pages for readers without a browser (llmstxt.org). */

import { llmsIndex, methods } from "../lib/operate/mod.ts";
import { answerText } from "../components/documents/documents.tsx";

export const handler = methods({ GET: (ctx) => answerText(ctx, "/llms.txt", llmsIndex) });
