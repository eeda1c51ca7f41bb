/** `/docs/{document}`: one document; with `.md` appended, its markdown. */

import { methods, twinOf, withoutTwin } from "../../lib/http/mod.ts";
import type { State } from "../../lib/service/mod.ts";
import { answerDocument, documentsOf } from "../(_shared)/documents.tsx";

export const handler = methods<State>({
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
