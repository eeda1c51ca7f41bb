/** `/desk/accounts/{id}/{key}`: a key of an account; `new` in place of its id creates one. */

import {
  type ApiKey,
  createKey,
  getAccount,
  getKey,
  OutdatedError,
  versionOf,
} from "../../../../lib/proxy/mod.ts";
import { actOnKey, endpointNames, readKeyForm, readKeyView } from "../../../../lib/members/mod.ts";
import { nothingHere } from "../../../../lib/platform/http/errors.ts";
import { withoutTwin } from "../../../../lib/platform/http/negotiate.ts";
import { readNewKey, setNewKey } from "../../../../components/account/members.tsx";
import { KeyDesk, NewKeyDesk } from "../../../../components/desk/AccountsKey.tsx";
import { originOfForm, requireAccount } from "../../../../components/desk/forms.ts";
import {
  answerConflict,
  answerDesk,
  type DeskForm,
  deskMethods,
  type DeskRequest,
  originOf,
  seeDesk,
} from "../../../../components/desk/desk.tsx";
import { toWrongForm, type WrongForm } from "../../../../components/shared/fields.tsx";

/** In place of a key's id; ids are longer. */
const NEW = "new";

/** What each action has done. */
const DONE = {
  created: "The key is created.",
  rename: "The key has its new name.",
  limit: "The limits of the key are saved. They apply within five seconds.",
  rotate: "This key takes the place of the other one.",
  revoke: "The key is revoked. Requests with it are refused within five seconds.",
} as const;

export const handler = deskMethods({
  GET: (request) => answerKey(request),
  async POST(form) {
    try {
      return await act(form);
    } catch (error) {
      if (!(error instanceof OutdatedError)) {
        return await answerKey(form, toWrongForm(error, form.fields));
      }
      const { state, name, limitUsd } = (await readKey(form)).view;
      return await answerConflict(form, [
        ["Action", form.fields.one("action"), ""],
        ["Name", form.fields.one("name"), name],
        ["Daily limit", form.fields.one("limit"), limitUsd === null ? "none" : `${limitUsd} USD`],
        ["State", "", state],
      ]);
    }
  },
});

async function act(form: DeskForm): Promise<Response> {
  const { fields, ctx: { state: { services: { kv, config, now } } } } = form;
  const account = await accountOf(form);
  const all = endpointNames(config);
  if (keyIdOf(form) === NEW) {
    const asked = readKeyForm(fields, account.id, all, now());
    const { key, text } = await createKey(kv, asked, originOf(form));
    return seeKey(form, key, "created", text);
  }
  const { key } = await readKey(form);
  const origin = originOfForm(form);
  const how = { allEndpoints: all, origin, isOwner: false };
  const { action, created } = await actOnKey(kv, key.id, fields, how);
  return seeKey(form, created?.key ?? key, action, created?.text);
}

/** Leads to the page of a key; `text` is that of a new one, which is shown there once. */
function seeKey({ ctx }: DeskRequest, key: ApiKey, done: string, text?: string): Response {
  const { signIn } = ctx.state.services;
  const cookies = text === undefined || signIn === null ? [] : [setNewKey(signIn, text)];
  return seeDesk(`/desk/accounts/${key.accountId}/${key.id}`, done, cookies);
}

function keyIdOf({ ctx }: DeskRequest): string {
  return withoutTwin(ctx.params["key"] ?? "");
}

async function accountOf({ ctx }: DeskRequest) {
  return requireAccount(await getAccount(ctx.state.services.kv, ctx.params["id"] ?? ""));
}

/** @throws {PublicError} `not_found` unless the key belongs to the account of the address. */
async function readKey(request: DeskRequest) {
  const account = await accountOf(request);
  const { services } = request.ctx.state;
  const key = await getKey(services.kv, keyIdOf(request));
  if (key?.accountId !== account.id) throw nothingHere("The account has no such key.");
  return { account, key, view: await readKeyView(services, account, key) };
}

async function answerKey(request: DeskRequest, wrong?: WrongForm): Promise<Response> {
  const { ctx } = request;
  const { services: { config, signIn } } = ctx.state;
  const status = wrong && { status: 400 };
  if (keyIdOf(request) === NEW) {
    const account = await accountOf(request);
    return await answerDesk(request, {
      title: "A new key",
      ...status,
      children: <NewKeyDesk account={account} endpoints={endpointNames(config)} wrong={wrong} />,
    });
  }
  const { account, key, view } = await readKey(request);
  const text = signIn && readNewKey(ctx, signIn, key.id);
  return await answerDesk(request, {
    title: view.name,
    done: DONE,
    ...status,
    ...text && signIn && { cookies: [signIn.cookies.newKey.remove()] },
    children: <KeyDesk {...{ account, view, text, wrong }} version={versionOf(key)} />,
  });
}
