/** `/api/v1/docs`: the API reference. */

import { answerDocument } from "../../../components/documents/documents.tsx";
import { methods } from "../../../lib/operate/mod.ts";

export const handler = methods({ GET: (ctx) => answerDocument(ctx, "reference") });
