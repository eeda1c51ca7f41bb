/** `GET /account/callback`: the callback of the identity provider, which begins a session. */

import { searchOf } from "../../lib/platform/address.ts";
import { signInMethods } from "../../components/account/members.tsx";
import { seeOther } from "../../components/shared/private.tsx";

export const handler = signInMethods({
  async GET({ req }, signIn) {
    const { location, cookies } = await signIn.finish(req.headers, searchOf(req.url));
    return seeOther(location, cookies);
  },
});
