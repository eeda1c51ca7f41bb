/** `/account/delete`: a member deletes the account, after a fresh sign-in. */

import { ACCOUNT, DELETION, isFresh } from "../../lib/sign_in/mod.ts";
import { DeletePage } from "../(_components)/account/DeletePage.tsx";
import { answerMemberPage, memberMethods, seeOther } from "../(_shared)/members.tsx";

export const handler = memberMethods({
  async GET({ ctx, session }) {
    const { config: { BASE_URL: baseUrl }, now } = ctx.state.services;
    const page = <DeletePage isFresh={isFresh(session, now())} baseUrl={baseUrl} />;
    return await answerMemberPage(ctx, page);
  },
  async POST({ ctx, signIn, account, session }) {
    if (!isFresh(session, ctx.state.services.now())) return seeOther(DELETION);
    return seeOther(ACCOUNT, [await signIn.deleteAccount({ account, session })]);
  },
});
