/** `/api/v1/docs`: the API reference, with a form for each operation (events contract, section 1). */

import TryIt from "../../../islands/TryIt.tsx";
import type { Config } from "../../../lib/config/mod.ts";
import { answerDocument } from "../../(_shared)/documents.tsx";
import { referenceOf } from "../../(_shared)/operations.ts";
import { methods } from "../../(_shared)/methods.ts";

export const handler = methods({
  GET: (ctx) =>
    answerDocument(ctx, "reference", { children: <Forms config={ctx.state.services.config} /> }),
});

/** A component is rendered once for the kept page, not for each request. */
function Forms({ config }: { config: Config }) {
  return <TryIt operations={referenceOf(config).forms} />;
}
