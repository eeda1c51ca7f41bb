/** `/account/keys/{id}`: one of the member's keys, and the actions on it. */

import { type ApiKey, getKey } from "../../../lib/proxy/mod.ts";
import { nothingHere } from "../../../lib/platform/http/errors.ts";
import { ACCOUNT, actOnKey, endpointNames, readKeyView } from "../../../lib/members/mod.ts";
import { memberMethods } from "../../../components/account/members.tsx";
import { CopiedLine, keySamples } from "../../../components/documents/samples.tsx";
import { KeyDetails } from "../../../components/shared/keys.tsx";
import { doneAt, showNewKey, takeNewKey, type Visit } from "../../../components/shared/private.tsx";
import CopyButtons from "../../../islands/CopyButtons.tsx";
import OwnTimes from "../../../islands/OwnTimes.tsx";

const KEYS = `${ACCOUNT}/keys`;

export const handler = memberMethods({
  async GET(visit, wrong) {
    const { ctx, account } = visit;
    const key = await ownKey(visit);
    const view = await readKeyView(ctx.state.services, account, key);
    const { text, cookies } = takeNewKey(visit, key.id);
    return {
      title: view.name,
      up: [`${ACCOUNT}#keys`, "Your keys"],
      cookies,
      children: (
        <>
          <KeyDetails
            {...{ view, wrong }}
            page={`${KEYS}/${key.id}`}
            newKey={text === null ? null : <CopiedLine label="Your key" text={text} />}
            samples={await keySamples(ctx, text ?? `foyer_${key.id}_…`)}
          />
          <OwnTimes />
          <CopyButtons />
        </>
      ),
    };
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
    if (created !== undefined) return showNewKey(`${KEYS}/${created.key.id}`, signIn, created.text);
    return doneAt(action === "revoke" ? ACCOUNT : `${KEYS}/${id}`, signIn, `key-${action}`);
  },
});

/** The key of the address. @throws {PublicError} `not_found` unless it belongs to the member. */
async function ownKey({ ctx, account }: Visit): Promise<ApiKey> {
  const key = await getKey(ctx.state.services.kv, ctx.params["id"] ?? "");
  if (key?.accountId === account.id) return key;
  throw nothingHere("You have no such key.", "Your keys are listed at /account.");
}
