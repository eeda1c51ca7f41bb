/** `/api/v1/docs`: the API reference. */

import { answerDocument } from "../../../components/documents/documents.tsx";
import { methods } from "../../../lib/operate/routes/methods.ts";

export const handler = methods({ GET: (ctx) => answerDocument(ctx, "reference") });
