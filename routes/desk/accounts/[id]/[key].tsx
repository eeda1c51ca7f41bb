/** `/desk/accounts/{id}/{key}`: a key of an account. */

import { getKey, versionOf } from "../../../../lib/proxy/mod.ts";
import { actOnKey, endpointNames, readKeyView } from "../../../../lib/members/mod.ts";
import { nothingHere } from "../../../../lib/platform/http/errors.ts";
import { accountAt, deskMethods, originOfVersion } from "../../../../components/desk/desk.tsx";
import { KeyDetails } from "../../../../components/shared/keys.tsx";
import {
  doneAt,
  showNewKey,
  takeNewKey,
  type Visit,
} from "../../../../components/shared/private.tsx";

export const handler = deskMethods({
  async GET(visit, wrong) {
    const { account, key, view, page } = await readKey(visit);
    const { text, cookies } = takeNewKey(visit, key.id);
    return {
      title: view.name,
      up: [`/desk/accounts/${account.id}`, account.name],
      cookies,
      children: (
        <>
          <KeyDetails
            {...{ view, page, wrong }}
            version={versionOf(key)}
            newKey={text === null ? null : (
              <p>
                <code>{text}</code>
              </p>
            )}
          />
          <p class="fine">Times are in UTC.</p>
        </>
      ),
    };
  },
  async POST(form) {
    const { ctx: { state: { services: { kv, config } } }, signIn, fields } = form;
    const { account, key, page } = await readKey(form);
    const { action, created } = await actOnKey(kv, key.id, fields, {
      allEndpoints: endpointNames(config),
      origin: originOfVersion(form),
      isOwner: false,
    });
    const base = `/desk/accounts/${account.id}`;
    if (created !== undefined) return showNewKey(`${base}/${created.key.id}`, signIn, created.text);
    return doneAt(page, signIn, `key-${action}`);
  },
  async present(form) {
    const { state, name, limitUsd } = (await readKey(form)).view;
    return [
      ["Action", "action", ""],
      ["Name", "label", name],
      ["Own daily limit, USD", "cap", limitUsd === null ? "none" : `${limitUsd}`],
      ["State", "", state],
    ];
  },
});

/** @throws {PublicError} `not_found` unless the key belongs to the account of the address. */
async function readKey({ ctx }: Visit) {
  const account = await accountAt(ctx);
  const { services } = ctx.state;
  const key = await getKey(services.kv, ctx.params["key"] ?? "");
  if (key?.accountId !== account.id) throw nothingHere("The account has no such key.");
  const view = await readKeyView(services, account, key);
  return { account, key, view, page: `/desk/accounts/${account.id}/${key.id}` };
}
