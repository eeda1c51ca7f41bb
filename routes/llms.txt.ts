/** `/llms.txt`: the index of pages for readers without a browser (llmstxt.org). */

import { llmsIndex } from "../lib/documents/mod.ts";
import { methods } from "../lib/http/mod.ts";
import type { State } from "../lib/service/mod.ts";
import { answerText } from "./(_shared)/documents.tsx";

export const handler = methods<State>({ GET: (ctx) => answerText(ctx, "/llms.txt", llmsIndex) });
