/** `GET /account/sign-in`: redirects to the identity provider, which with `?for=delete` asks for the password again. */

import { searchOf } from "../../lib/platform/address.ts";
import { seeOther, signInMethods } from "../../components/account/members.tsx";

export const handler = signInMethods({
  async GET({ req }, signIn) {
    const isDeletion = new URLSearchParams(searchOf(req.url)).get("for") === "delete";
    const { location, cookies } = await signIn.begin(isDeletion ? "delete" : "enter");
    return seeOther(location, cookies);
  },
});
