/** `POST /account/keys`: makes a key, and leads to its page, which shows it once. */

import { createOwnKey } from "../../../lib/proxy/mod.ts";
import { endpointNames, readKeyForm } from "../../../lib/members/mod.ts";
import { memberMethods, showNewKey } from "../../../components/account/members.tsx";

export const handler = memberMethods({
  async POST({ ctx, signIn, account, fields }) {
    const { kv, config, now } = ctx.state.services;
    const asked = readKeyForm(fields, account.id, endpointNames(config), now());
    const newKey = { ...asked, prefix: config.KEY_PREFIX };
    return showNewKey(signIn, await createOwnKey(kv, newKey, now()));
  },
});
