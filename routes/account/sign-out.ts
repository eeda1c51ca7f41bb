/** `POST /account/sign-out`: ends this session. */

import { ACCOUNT } from "../../lib/members/mod.ts";
import { seeOther, signInMethods } from "../../components/account/members.tsx";

export const handler = signInMethods({
  async POST({ req }, signIn) {
    return seeOther(ACCOUNT, [await signIn.leave(req.headers)]);
  },
});
