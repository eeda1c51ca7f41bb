/** `/docs/{document}`: one document; with `.md` appended, its markdown. */

import { twinOf, withoutTwin } from "../../lib/http/mod.ts";
import { answerDocument, documentsOf } from "../(_shared)/documents.tsx";
import { methods } from "../(_shared)/methods.ts";

export const handler = methods({
  async GET(ctx) {
    const asked = ctx.params["document"] ?? "";
    const name = withoutTwin(asked);
    const address = (await documentsOf(ctx)).find((each) => each.name === name)?.address;
    if (address !== undefined && address !== `/docs/${name}`) {
      return ctx.redirect(name === asked ? address : twinOf(address));
    }
    return await answerDocument(ctx, name);
  },
});
