/** `POST /account/sessions`: ends one of the member's sessions by its id, or all but this one. */

import { ACCOUNT, endSessionById, endSessions } from "../../lib/members/mod.ts";
import { memberMethods } from "../../components/account/members.tsx";
import { doneAt } from "../../components/shared/private.tsx";

export const handler = memberMethods({
  async POST({ ctx, signIn, account, session, fields }) {
    const { kv } = ctx.state.services;
    const id = fields.one("session");
    const isOthers = id === "others";
    if (isOthers) await endSessions(kv, account.id, session.id);
    else await endSessionById(kv, account.id, id);
    return doneAt(ACCOUNT, signIn, isOthers ? "sessions" : "session");
  },
});
