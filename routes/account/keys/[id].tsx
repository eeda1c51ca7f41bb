/** `/account/keys/{id}`: one of the member's keys, and the actions on it. */

import {
  type ApiKey,
  getKey,
  revokeKey,
  rotateOwnKey,
  updateKey,
} from "../../../lib/accounts/mod.ts";
import { nothingHere, PublicError } from "../../../lib/http/mod.ts";
import {
  endpointNames,
  readKeyLimits,
  readKeyView,
  readLabel,
  readOverlap,
} from "../../../lib/members/mod.ts";
import { KeyPage } from "../../(_components)/account/KeyPage.tsx";
import { samplesWithKey } from "../../(_shared)/key_samples.ts";
import {
  answerMemberPage,
  memberMethods,
  type MemberRequest,
  readNewKey,
  seeOther,
  showNewKey,
} from "../../(_shared)/members.tsx";

export const handler = memberMethods({
  async GET(request) {
    const { ctx, signIn } = request;
    const key = await ownKey(request);
    const view = await readKeyView(ctx.state.services, request.account, key);
    const secret = readNewKey(ctx, signIn, key.id);
    if (secret === null) return await answerMemberPage(ctx, <KeyPage view={view} />);
    const newKey = { text: secret, samples: await samplesWithKey(ctx, secret) };
    const page = <KeyPage view={view} newKey={newKey} />;
    return await answerMemberPage(ctx, page, [signIn.cookies.newKey.remove()]);
  },
  async POST(form) {
    const { ctx, signIn, fields } = form;
    const { kv, config, now } = ctx.state.services;
    const { id } = await ownKey(form);
    switch (fields.one("action")) {
      case "rename":
        await updateKey(kv, id, { label: readLabel(fields.one("name")) });
        return seeOther(`/account/keys/${id}`);
      case "limit":
        await updateKey(kv, id, readKeyLimits(fields, endpointNames(config)));
        return seeOther(`/account/keys/${id}`);
      case "revoke":
        await revokeKey(kv, id, now());
        return seeOther("/account#keys");
      case "rotate": {
        const overlapMilliseconds = readOverlap(fields.one("overlap"));
        const options = { overlapMilliseconds, prefix: config.KEY_PREFIX };
        return showNewKey(signIn, await rotateOwnKey(kv, id, options, now()));
      }
      default:
        throw new PublicError("bad_request", "The form names no known action.");
    }
  },
});

/** The key of the address. @throws {PublicError} `not_found` unless it belongs to the member. */
async function ownKey({ ctx, account }: MemberRequest): Promise<ApiKey> {
  const key = await getKey(ctx.state.services.kv, ctx.params["id"] ?? "");
  if (key?.accountId === account.id) return key;
  throw nothingHere("You have no such key.", "Your keys are listed at /account.");
}
