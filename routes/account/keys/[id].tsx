/** `/account/keys/{id}`: one of the member's keys, and the actions on it. */

import type { VNode } from "preact";
import { type ApiKey, getKey } from "../../../lib/proxy/mod.ts";
import { nothingHere } from "../../../lib/platform/http/errors.ts";
import { ACCOUNT, actOnKey, endpointNames, readKeyView } from "../../../lib/members/mod.ts";
import { KeyPage } from "../../../components/account/KeyPage.tsx";
import {
  answerMemberPage,
  doneAt,
  memberMethods,
  type MemberRequest,
  readNewKey,
  showNewKey,
} from "../../../components/account/members.tsx";
import type { WrongForm } from "../../../components/shared/fields.tsx";
import { CopiedLine, keySamples } from "../../../components/documents/samples.tsx";

export const handler = memberMethods({
  async GET(request) {
    const { ctx, signIn } = request;
    const key = await ownKey(request);
    const text = readNewKey(ctx, signIn, key.id);
    const page = await keyPage(request, undefined, text);
    const cookies = text === null ? [] : [signIn.cookies.newKey.remove()];
    return await answerMemberPage(ctx, signIn, page, { cookies });
  },
  async POST(form) {
    const { ctx, signIn, account, fields } = form;
    const { kv, config, now } = ctx.state.services;
    const { id } = await ownKey(form);
    const { action, created } = await actOnKey(kv, id, fields, {
      allEndpoints: endpointNames(config),
      origin: { at: now(), by: { accountId: account.id } },
      isOwner: true,
    });
    if (created !== undefined) return showNewKey(signIn, created);
    return doneAt(action === "revoke" ? ACCOUNT : `${ACCOUNT}/keys/${id}`, signIn, action);
  },
  again: keyPage,
});

/** The key of the address. @throws {PublicError} `not_found` unless it belongs to the member. */
async function ownKey({ ctx, account }: MemberRequest): Promise<ApiKey> {
  const key = await getKey(ctx.state.services.kv, ctx.params["id"] ?? "");
  if (key?.accountId === account.id) return key;
  throw nothingHere("You have no such key.", "Your keys are listed at /account.");
}

/** @param text that of a new key, which is shown only now. */
async function keyPage(
  request: MemberRequest,
  wrong?: WrongForm,
  text: string | null = null,
): Promise<VNode> {
  const { ctx, account } = request;
  const view = await readKeyView(ctx.state.services, account, await ownKey(request));
  return (
    <KeyPage
      view={view}
      newKey={text && <CopiedLine label="Your key" text={text} />}
      samples={await keySamples(ctx, text ?? `foyer_${view.id}_…`)}
      wrong={wrong}
    />
  );
}
