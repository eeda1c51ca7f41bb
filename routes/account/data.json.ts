/** `GET /account/data.json`: everything that is stored about the member. */

import { exportMember } from "../../lib/members/mod.ts";
import { memberMethods } from "../(_shared)/members.tsx";

export const handler = memberMethods({
  GET({ ctx, account, session }) {
    const { kv, now } = ctx.state.services;
    const body = ReadableStream.from(exportMember(kv, { account, session }, now()))
      .pipeThrough(new TextEncoderStream());
    const headers = {
      "content-type": "application/json",
      "content-disposition": 'attachment; filename="foyer-account.json"',
    };
    return new Response(body, { headers });
  },
});
