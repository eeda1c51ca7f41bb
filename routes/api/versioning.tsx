/** `/api/versioning`: the versioning policy and its changelog. */

import { answerDocument } from "../(_shared)/documents.tsx";
import { methods } from "../(_shared)/methods.ts";

export const handler = methods({ GET: (ctx) => answerDocument(ctx, "versioning") });
