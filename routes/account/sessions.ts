/** `POST /account/sessions`: ends one of the member's sessions by its id, or all but this one. */

import { ACCOUNT, endSessionById, endSessions } from "../../lib/members/mod.ts";
import { memberMethods, seeOther } from "../../components/account/members.tsx";

export const handler = memberMethods({
  async POST({ ctx, account, session, fields }) {
    const { kv } = ctx.state.services;
    const id = fields.one("session");
    if (id === "others") await endSessions(kv, account.id, session.id);
    else await endSessionById(kv, account.id, id);
    return seeOther(`${ACCOUNT}#sessions`);
  },
});
