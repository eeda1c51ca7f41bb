/** `GET /account/sign-in`: redirects to the identity provider, which asks for the password again with `?for=delete`, and for the desk. */

import { readPurpose } from "../../lib/members/attempt.ts";
import { searchOf } from "../../lib/platform/address.ts";
import { signInMethods } from "../../components/account/members.tsx";
import { seeOther } from "../../components/shared/private.tsx";

export const handler = signInMethods({
  async GET({ req }, signIn) {
    const purpose = readPurpose(new URLSearchParams(searchOf(req.url)).get("for"));
    const { location, cookies } = await signIn.begin(purpose);
    return seeOther(location, cookies);
  },
});
