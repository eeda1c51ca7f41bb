/** `/api/versioning`: the versioning policy and its changelog (events contract, section 1). */

import { methods } from "../../lib/http/mod.ts";
import type { State } from "../../lib/service/mod.ts";
import { answerDocument } from "../(_shared)/documents.tsx";

export const handler = methods<State>({ GET: (ctx) => answerDocument(ctx, "versioning") });
