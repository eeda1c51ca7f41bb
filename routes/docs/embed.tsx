/** `/docs/embed`: the guide to embeds, with a form that makes the HTML. */

import EmbedForm from "../../islands/EmbedForm.tsx";
import { methods } from "../../lib/http/mod.ts";
import type { State } from "../../lib/service/mod.ts";
import { answerDocument } from "../(_shared)/documents.tsx";

export const handler = methods<State>({
  GET(ctx) {
    const { baseUrl } = ctx.state.site;
    return answerDocument(ctx, "embed", { form: <EmbedForm baseUrl={baseUrl} /> });
  },
});
