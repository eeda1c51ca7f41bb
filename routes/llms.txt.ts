/** `/llms.txt`: the index of pages for readers without a browser (llmstxt.org). */

import { llmsIndex } from "../lib/operate/documents/listings.ts";
import { methods } from "../lib/operate/routes/methods.ts";
import { answerText } from "../components/documents/documents.tsx";

export const handler = methods({ GET: (ctx) => answerText(ctx, "/llms.txt", llmsIndex) });
