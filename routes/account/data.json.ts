/** `GET /account/data.json`: everything that is stored about the member. */

import { exportMember } from "../../lib/members/export.ts";
import { memberMethods } from "../../components/account/members.tsx";

export const handler = memberMethods({
  async GET({ ctx, account, session }) {
    const parts = await exportMember(ctx.state.services, { account, session });
    const body = ReadableStream.from(parts).pipeThrough(new TextEncoderStream());
    const headers = {
      "content-type": "application/json",
      "content-disposition": 'attachment; filename="foyer-account.json"',
    };
    return new Response(body, { headers });
  },
});
