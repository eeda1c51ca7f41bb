/** `/api/v1/docs`: the API reference. */

import { answerDocument } from "../../(_shared)/documents.tsx";
import { methods } from "../../(_shared)/methods.ts";

export const handler = methods({ GET: (ctx) => answerDocument(ctx, "reference") });
