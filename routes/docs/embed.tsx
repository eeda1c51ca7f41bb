/** `/docs/embed`: the guide to embeds, with a form that makes the HTML. */

import EmbedForm from "../../islands/EmbedForm.tsx";
import { answerDocument } from "../../components/documents/documents.tsx";
import { methods } from "../../lib/operate/mod.ts";

export const handler = methods({
  GET(ctx) {
    const { baseUrl } = ctx.state.site;
    return answerDocument(ctx, "embed", { form: <EmbedForm baseUrl={baseUrl} /> });
  },
});
