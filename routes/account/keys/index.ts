/** `POST /account/keys`: makes a key, and leads to its page, which shows it once. */

import { createOwnKey } from "../../../lib/proxy/mod.ts";
import { endpointNames, readKeyForm } from "../../../lib/members/mod.ts";
import { memberMethods, showNewKey } from "../../../components/account/members.tsx";

export const handler = memberMethods({
  async POST({ ctx, signIn, account, fields }) {
    const { kv, config, now } = ctx.state.services;
    const newKey = readKeyForm(fields, account.id, endpointNames(config), now());
    return showNewKey(signIn, await createOwnKey(kv, newKey, now()));
  },
});
