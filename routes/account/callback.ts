/** `GET /account/callback`: the callback of the identity provider, which begins a session. */

import { searchOf } from "../../lib/http/mod.ts";
import { seeOther, signInMethods } from "../(_shared)/members.tsx";

export const handler = signInMethods({
  async GET({ req }, signIn) {
    const { location, cookies } = await signIn.finish(req.headers, searchOf(req.url));
    return seeOther(location, cookies);
  },
});
