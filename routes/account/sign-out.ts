/** `POST /account/sign-out`: ends this session. */

import { ACCOUNT } from "../../lib/platform/address.ts";
import { signInMethods } from "../../components/account/members.tsx";
import { doneAt } from "../../components/shared/private.tsx";

export const handler = signInMethods({
  async POST({ req }, signIn) {
    return doneAt(ACCOUNT, signIn, "left", [await signIn.leave(req.headers)]);
  },
});
