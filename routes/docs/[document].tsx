/** `/docs/{document}`: one document; with `.md` appended, its markdown. */

import { twinOf, withoutTwin } from "../../lib/platform/http/negotiate.ts";
import { answerDocument, everyDocument } from "../../components/documents/documents.tsx";
import { methods } from "../../lib/operate/mod.ts";

export const handler = methods({
  async GET(ctx) {
    const asked = ctx.params["document"] ?? "";
    const name = withoutTwin(asked);
    const address = (await everyDocument(ctx)).find((each) => each.name === name)?.address;
    if (address !== undefined && address !== `/docs/${name}`) {
      return ctx.redirect(name === asked ? address : twinOf(address));
    }
    return await answerDocument(ctx, name);
  },
});
