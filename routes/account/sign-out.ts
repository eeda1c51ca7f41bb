/** `POST /account/sign-out`: ends this session. */

import { ACCOUNT } from "../../lib/sign_in/mod.ts";
import { seeOther, signInMethods } from "../(_shared)/members.tsx";

export const handler = signInMethods({
  async POST({ req }, signIn) {
    return seeOther(ACCOUNT, [await signIn.leave(req.headers)]);
  },
});
