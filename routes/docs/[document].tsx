/** `/docs/{document}`: one document; with `.md` appended, its markdown. */

import { isTwin, twinOf } from "../../lib/platform/http/negotiate.ts";
import { answerDocument, documentsOf } from "../../components/documents/documents.tsx";
import { methods } from "../../lib/operate/routes/methods.ts";

export const handler = methods({
  async GET(ctx) {
    const name = ctx.params["document"] ?? "";
    const { all } = await documentsOf(ctx);
    const address = all.find((each) => each.name === name.toLowerCase())?.address;
    if (address !== undefined && address !== `/docs/${name}`) {
      return ctx.redirect(isTwin(ctx.req.url) ? twinOf(address) : address);
    }
    return await answerDocument(ctx, name);
  },
});
