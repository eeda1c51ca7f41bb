/** `/desk/accounts/{id}`: one account, and what an operator does to it. */

import {
  banAccount,
  createKey,
  deleteAccount,
  findNameFault,
  listChanges,
  OutdatedError,
  recordDeed,
  renameAccount,
  updateAccount,
} from "../../../../lib/proxy/mod.ts";
import {
  endpointNames,
  endSessions,
  readAccountView,
  readAmount,
  readKeyForm,
  unknownAction,
  wrongField,
} from "../../../../lib/members/mod.ts";
import { DAY_MILLISECONDS } from "../../../../lib/platform/time.ts";
import { AccountDesk } from "../../../../components/desk/AccountDesk.tsx";
import {
  accountAt,
  deskMethods,
  originOf,
  originOfVersion,
  readReason,
} from "../../../../components/desk/desk.tsx";
import { doneAt, type Form, showNewKey } from "../../../../components/shared/private.tsx";

const ACCOUNTS = "/desk/accounts";
/** How many changes the page shows. */
const CHANGES = 20;

export const handler = deskMethods({
  async GET({ ctx, session }, wrong) {
    const account = await accountAt(ctx);
    const { services } = ctx.state;
    const [view, all] = await Promise.all([
      readAccountView(services, { account, session }),
      Array.fromAsync(listChanges(services.kv, account.id)),
    ]);
    const changes = all.toReversed().slice(0, CHANGES)
      .map((change) => ({ ...change, accountId: account.id }));
    return {
      title: account.name,
      up: [ACCOUNTS, "Accounts"],
      children: <AccountDesk {...{ view, changes, wrong }} />,
    };
  },
  async POST(form) {
    const { id, deletedAt } = await accountAt(form.ctx);
    if (deletedAt !== undefined) throw new OutdatedError("The account is deleted.");
    const action = form.fields.one("action");
    if (action === "key") return await giveKey(form, id);
    await act(form, id, action);
    const next = action === "delete" ? ACCOUNTS : `${ACCOUNTS}/${id}`;
    return doneAt(next, form.signIn, `account-${action}`);
  },
});

async function giveKey(form: Form, id: string): Promise<Response> {
  const { kv, config, now } = form.ctx.state.services;
  const asked = readKeyForm(form.fields, id, endpointNames(config), now());
  const { key, text } = await createKey(kv, asked, originOf(form));
  return showNewKey(`${ACCOUNTS}/${id}/${key.id}`, form.signIn, text);
}

async function act(form: Form, id: string, action: string): Promise<unknown> {
  const { fields, ctx: { state: { services: { kv, now } } } } = form;
  const origin = originOfVersion(form);
  const update = (change: Parameters<typeof updateAccount>[2]) =>
    updateAccount(kv, id, change, origin);
  switch (action) {
    case "limit":
      return await update({ limitNanoUsd: readAmount(fields, "limit") });
    case "grant": {
      const limitNanoUsd = readAmount(fields, "grant");
      if (limitNanoUsd === null) throw wrongField("grant", "The granted limit is empty.");
      return await update({ grant: { limitNanoUsd, until: readEndOfDay(form, now()) } });
    }
    case "ungrant":
      return await update({ grant: null });
    case "ban":
      return await banAccount(kv, id, readReason(fields, "reason"), origin);
    case "unban":
      return await update({ banned: false });
    case "verify":
    case "unverify":
      return await update({ verified: action === "verify" });
    case "rename": {
      const fault = findNameFault(fields.one("name"));
      if (fault !== null) throw wrongField("name", `The name ${fault}.`);
      return await renameAccount(kv, id, fields.one("name"), origin);
    }
    case "sessions":
      await recordDeed(kv, id, "end sessions", origin);
      return await endSessions(kv, id);
    case "delete":
      await deleteAccount(kv, id, origin);
      return await endSessions(kv, id);
    default:
      throw unknownAction();
  }
}

/** The end of a UTC day that is not over (epoch milliseconds). */
function readEndOfDay({ fields }: Form, now: number): number {
  const text = fields.one("until");
  const begin = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : NaN;
  const end = begin + DAY_MILLISECONDS;
  if (end > now) return end;
  const message = Number.isNaN(end) ? "The day is missing." : "The day is over.";
  throw wrongField("until", message, "Write one such as 2027-01-31.");
}
