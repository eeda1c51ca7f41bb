/** `/desk/accounts`: finds accounts, and creates one. */

import {
  createAccount,
  createReferredAccount,
  dailyLimitOf,
  dayOf,
  EMPTY_DAY,
  findAccounts,
  findReferenceFault,
  getAccount,
  readDays,
} from "../../../lib/proxy/mod.ts";
import { searchOf } from "../../../lib/platform/address.ts";
import { searchText } from "../../../lib/platform/text.ts";
import { AccountList, VIEWS } from "../../../components/desk/AccountsList.tsx";
import { readAmount, readName, wrong as mistake } from "../../../components/desk/forms.ts";
import {
  answerDesk,
  type DeskForm,
  deskMethods,
  type DeskRequest,
  originOf,
  seeDesk,
} from "../../../components/desk/desk.tsx";
import { toWrongForm, type WrongForm } from "../../../components/shared/fields.tsx";

const DONE = { deleted: "The account is deleted, and its keys no longer work." };

export const handler = deskMethods({
  GET: (request) => answerList(request),
  async POST(form) {
    try {
      const account = await create(form);
      return seeDesk(`/desk/accounts/${account.id}`, "created");
    } catch (error) {
      return await answerList(form, toWrongForm(error, form.fields));
    }
  },
});

async function create(form: DeskForm) {
  const { fields, ctx: { state: { services: { kv } } } } = form;
  const origin = originOf(form);
  const asked = {
    name: readName(fields),
    limitNanoUsd: readAmount(fields, "limit"),
    verified: true,
  };
  const reference = fields.one("reference");
  if (reference === "") return await createAccount(kv, asked, origin);
  const fault = findReferenceFault(reference);
  if (fault !== null) throw mistake("reference", `The reference ${fault}.`);
  const { account, isNew } = await createReferredAccount(kv, { ...asked, reference }, origin);
  if (isNew) return account;
  throw mistake("reference", `The account ${account.id} has this reference already.`);
}

async function answerList(request: DeskRequest, wrong?: WrongForm): Promise<Response> {
  const { req, state: { services: { kv, config, now, overview } } } = request.ctx;
  const query = new URLSearchParams(searchOf(req.url));
  const word = searchText(query.get("q"), 100);
  const asked = query.get("view") ?? "";
  const view = Object.keys(VIEWS).find((name): name is keyof typeof VIEWS => name === asked) ??
    null;
  const found = view === null
    ? { ...await findAccounts(kv, word, query.get("after")), made: null }
    : await listView(view);
  const lines = await Promise.all(found.accounts.map(async (account) => {
    const [today = EMPTY_DAY] = await readDays(kv, account.id, [dayOf(now())]);
    return { account, today, limit: dailyLimitOf(account, config.DAILY_LIMIT_USD, now()) };
  }));
  const next = found.next &&
    `/desk/accounts?${new URLSearchParams({ ...word !== "" && { q: word }, after: found.next })}`;
  return await answerDesk(request, {
    title: "Accounts",
    done: DONE,
    ...wrong && { status: 400 },
    children: <AccountList {...{ word, view, lines, next, wrong }} made={found.made} />,
  });

  /** The accounts of a view, of which the overview names the first. */
  async function listView(name: keyof typeof VIEWS) {
    const { at, near, banned, unverified } = await overview.get();
    const { count, ids } = {
      near: { count: near.count, ids: near.spenders.map(({ accountId }) => accountId) },
      banned,
      unverified,
    }[name];
    const accounts = await Promise.all(ids.map((id) => getAccount(kv, id)));
    return {
      accounts: accounts.filter((account) => account !== null),
      next: null,
      made: { at, count },
    };
  }
}
