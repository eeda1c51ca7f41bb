/** `/api/versioning`: the versioning policy and its changelog. */

import { answerDocument } from "../../components/documents/documents.tsx";
import { methods } from "../../lib/operate/routes/methods.ts";

export const handler = methods({ GET: (ctx) => answerDocument(ctx, "versioning") });
