/** `/docs/embed`: the guide to embeds, with a form that makes the HTML. */

import EmbedForm from "../../islands/EmbedForm.tsx";
import { methods } from "../../lib/http/mod.ts";
import type { State } from "../../lib/service/mod.ts";
import { answerDocument } from "../(_shared)/documents.tsx";

export const handler = methods<State>({
  GET(ctx) {
    const { BASE_URL: baseUrl } = ctx.state.services.config;
    return answerDocument(ctx, "embed", { form: <EmbedForm baseUrl={baseUrl} /> });
  },
});
