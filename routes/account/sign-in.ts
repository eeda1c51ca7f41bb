/** `GET /account/sign-in`: leads to the identity provider. With `?for=delete` it asks for the password once more. */

import { searchOf } from "../../lib/http/mod.ts";
import { seeOther, signInMethods } from "../(_shared)/members.tsx";

export const handler = signInMethods({
  async GET({ req }, signIn) {
    const isDeletion = new URLSearchParams(searchOf(req.url)).get("for") === "delete";
    const { location, cookies } = await signIn.begin(isDeletion ? "delete" : "enter");
    return seeOther(location, cookies);
  },
});
