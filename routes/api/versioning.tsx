/** `/api/versioning`: the versioning policy and its changelog (events contract, section 1). */

import { answerDocument } from "../(_shared)/documents.tsx";
import { methods } from "../(_shared)/methods.ts";

export const handler = methods({ GET: (ctx) => answerDocument(ctx, "versioning") });
