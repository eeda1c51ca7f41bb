/** The page of a key, for its owner and for operators. */

import { ACCOUNT } from "../../lib/platform/address.ts";
import type { Context } from "fresh";
import type { VNode } from "preact";
import type { State } from "../../lib/operate/state.ts";
import type { Account } from "../../lib/accounts/account.ts";
import { OutdatedError, versionOf } from "../../lib/accounts/audit_log.ts";
import { type ApiKey, getKey, keyState } from "../../lib/accounts/key.ts";
import { actOnKey } from "../../lib/members/forms.ts";
import { endpointNames, readKeyView } from "../../lib/members/view.ts";
import { nothingHere } from "../../lib/platform/http/errors.ts";
import CopyButtons from "../../islands/CopyButtons.tsx";
import OwnTimes from "../../islands/OwnTimes.tsx";
import { KeyDetails } from "../shared/keys.tsx";
import { doneAt, type Handlers, showNewKey, takeNewKey, type Visit } from "../shared/private.tsx";

/** The page of a key, and the actions of its forms. */
export function keyPage({ isOwner, accountOf, newKey, samples }: {
  /** Whether it is one of the member's pages. At the desk, the forms carry the version of the key. */
  readonly isOwner: boolean;
  /** The account of the address. */
  readonly accountOf: (visit: Visit) => Promise<Account>;
  /** How the text of a new key is shown. */
  readonly newKey: (text: string) => VNode;
  /** Samples with a key, or with its place. */
  readonly samples?: (ctx: Context<State>, key: string) => Promise<VNode>;
}): Handlers {
  /** @throws {PublicError} `not_found` unless the key of the address belongs to the account. */
  async function find(visit: Visit): Promise<{ account: Account; key: ApiKey; home: string }> {
    const { ctx: { params, state: { services: { kv } } } } = visit;
    const account = await accountOf(visit);
    const key = await getKey(kv, params["key"] ?? "");
    if (key?.accountId !== account.id) {
      throw nothingHere("The account has no such key.", "The page of the account lists its keys.");
    }
    return { account, key, home: isOwner ? ACCOUNT : `/desk/accounts/${account.id}` };
  }
  const addressOf = (home: string, id: string) => `${home}${isOwner ? "/keys" : ""}/${id}`;

  return {
    async GET(visit, wrong) {
      const { ctx } = visit;
      const { account, key, home } = await find(visit);
      const view = await readKeyView(ctx.state.services, account, key);
      const { text, cookies } = takeNewKey(visit, key.id);
      return {
        title: view.name,
        up: isOwner ? [`${home}#keys`, "Your keys"] : [home, account.name],
        cookies,
        children: (
          <>
            <KeyDetails
              {...{ view, wrong }}
              page={addressOf(home, key.id)}
              newKey={text === null ? null : newKey(text)}
              {...samples && { samples: await samples(ctx, text ?? `foyer_${key.id}_…`) }}
              {...!isOwner && { version: versionOf(key) }}
            />
            {isOwner
              ? (
                <>
                  <OwnTimes />
                  <CopyButtons />
                </>
              )
              : <p class="fine">Times are in UTC.</p>}
          </>
        ),
      };
    },
    async POST(form) {
      const { ctx, signIn, fields } = form;
      const { kv, config, now } = ctx.state.services;
      const { key, home } = await find(form);
      const { id } = key;
      const state = keyState(key, now());
      if (state !== "active") throw new OutdatedError(`The key is ${state}.`);
      const { action, created } = await actOnKey(kv, id, fields, {
        allEndpoints: endpointNames(config),
        origin: {
          at: now(),
          by: { accountId: form.account.id },
          ...!isOwner && { madeFrom: fields.one("version") },
        },
      });
      if (created !== undefined) {
        return showNewKey(addressOf(home, created.key.id), signIn, created.text);
      }
      return doneAt(action === "revoke" ? home : addressOf(home, id), signIn, `key-${action}`);
    },
  };
}
