/** `/desk/accounts/{id}`: one account, and what an operator does to it. */

import {
  type Account,
  banAccount,
  deleteAccount,
  findReasonFault,
  getAccount,
  listChanges,
  OutdatedError,
  recordDeed,
  renameAccount,
  updateAccount,
} from "../../../../lib/proxy/mod.ts";
import { endSessions, readAccountView } from "../../../../lib/members/mod.ts";
import { PublicError } from "../../../../lib/platform/http/errors.ts";
import { withoutTwin } from "../../../../lib/platform/http/negotiate.ts";
import { formatUsd } from "../../../../lib/platform/money.ts";
import { DAY_MILLISECONDS, formatMinute } from "../../../../lib/platform/time.ts";
import { AccountDesk } from "../../../../components/desk/AccountsOne.tsx";
import { stateOf } from "../../../../components/desk/AccountsList.tsx";
import {
  originOfForm,
  readAmount,
  readName,
  requireAccount,
  wrong as mistake,
} from "../../../../components/desk/forms.ts";
import {
  answerConflict,
  answerDesk,
  type DeskForm,
  deskMethods,
  type DeskRequest,
  seeDesk,
} from "../../../../components/desk/desk.tsx";
import { toWrongForm, type WrongForm } from "../../../../components/shared/fields.tsx";

/** How many changes the page shows. */
const CHANGES = 20;

/** What each action has done. */
const DONE = {
  created: "The account is created. Create a key for it, or let its member sign in.",
  limit: "The limit is saved. It applies within five seconds.",
  grant: "The limit is granted. It applies within five seconds.",
  ungrant: "The grant has ended.",
  ban: "The account is banned. Its requests are refused within five seconds.",
  unban: "The ban is lifted. The keys work again within five seconds.",
  verify: "The account is verified. Its keys work within five seconds.",
  unverify: "The account is not verified. Its requests are refused within five seconds.",
  rename: "The account has its new name.",
  sessions: "All sessions of the account have ended.",
} as const;

export const handler = deskMethods({
  GET: (request) => answerAccount(request),
  async POST(form) {
    const { id } = await accountOf(form);
    const action = form.fields.one("action");
    try {
      await act(form, id, action);
    } catch (error) {
      if (error instanceof OutdatedError) return await conflict(form);
      return await answerAccount(form, toWrongForm(error, form.fields));
    }
    if (action === "delete") return seeDesk("/desk/accounts", "deleted");
    return seeDesk(`/desk/accounts/${id}`, action);
  },
});

/** @throws {PublicError} `not_found` if the address names no account. */
async function accountOf({ ctx }: DeskRequest): Promise<Account> {
  const id = withoutTwin(ctx.params["id"] ?? "");
  return requireAccount(await getAccount(ctx.state.services.kv, id));
}

async function act(form: DeskForm, id: string, action: string): Promise<void> {
  const { fields, ctx: { state: { services: { kv, now } } } } = form;
  const origin = originOfForm(form);
  switch (action) {
    case "limit":
      return void await updateAccount(
        kv,
        id,
        { limitNanoUsd: readAmount(fields, "limit") },
        origin,
      );
    case "grant": {
      const limitNanoUsd = readAmount(fields, "grant");
      if (limitNanoUsd === null) throw mistake("grant", "The granted limit is empty.");
      const until = readEndOfDay(fields.one("until"), now());
      return void await updateAccount(kv, id, { grant: { limitNanoUsd, until } }, origin);
    }
    case "ungrant":
      return void await updateAccount(kv, id, { grant: null }, origin);
    case "ban": {
      const reason = fields.one("reason");
      const fault = reason === "" ? null : findReasonFault(reason);
      if (fault !== null) throw mistake("reason", `The reason ${fault}.`);
      return void await banAccount(kv, id, reason || null, origin);
    }
    case "unban":
      return void await updateAccount(kv, id, { banned: false }, origin);
    case "verify":
    case "unverify":
      return void await updateAccount(kv, id, { verified: action === "verify" }, origin);
    case "rename":
      return void await renameAccount(kv, id, readName(fields), origin);
    case "sessions":
      await recordDeed(kv, id, "end sessions", origin);
      return await endSessions(kv, id);
    case "delete":
      await deleteAccount(kv, id, origin);
      return await endSessions(kv, id);
    default:
      throw new PublicError("bad_request", "The form names no known action.");
  }
}

/** The end of a UTC day that is not over (epoch milliseconds). */
function readEndOfDay(text: string, now: number): number {
  const begin = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : NaN;
  const end = begin + DAY_MILLISECONDS;
  if (end > now) return end;
  const hint = "Write one such as 2027-01-31.";
  throw mistake("until", Number.isNaN(end) ? "The day is missing." : "The day is over.", { hint });
}

async function answerAccount(request: DeskRequest, wrong?: WrongForm): Promise<Response> {
  const { ctx: { state: { services } }, operator: { session } } = request;
  const account = await accountOf(request);
  const [view, changes] = await Promise.all([
    readAccountView(services, { account, session }),
    Array.fromAsync(listChanges(services.kv, account.id)),
  ]);
  const latest = changes.toReversed().slice(0, CHANGES)
    .map((change) => ({ ...change, accountId: account.id }));
  return await answerDesk(request, {
    title: account.name,
    done: DONE,
    ...wrong && { status: 400 },
    children: <AccountDesk view={view} changes={latest} wrong={wrong} />,
  });
}

/** Shows the form beside the account, which has changed since. */
async function conflict(form: DeskForm): Promise<Response> {
  const account = await accountOf(form);
  const { limitNanoUsd, grant, name, banReason = "" } = account;
  const sent = (field: string) => form.fields.one(field);
  const amount = (text: string) => text === "" ? "the default" : `${text} USD`;
  const rows: Readonly<Record<string, readonly [string, string, string][]>> = {
    limit: [[
      "Daily limit",
      amount(sent("limit")),
      amount(limitNanoUsd === null ? "" : formatUsd(limitNanoUsd)),
    ]],
    grant: [[
      "Grant",
      `${amount(sent("grant"))} until the end of ${sent("until")}`,
      grant ? `${formatUsd(grant.limitNanoUsd)} USD until ${formatMinute(grant.until)}` : "none",
    ]],
    ban: [["Reason", sent("reason"), banReason]],
    rename: [["Name", sent("name"), name]],
  };
  const action = sent("action");
  return await answerConflict(form, [
    ["Action", action, ""],
    ...rows[action] ?? [],
    ["State", "", stateOf(account)],
  ]);
}
