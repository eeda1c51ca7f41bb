/** `/desk/accounts/{id}`: one account, and what an operator does to it. */

import {
  type Account,
  type AccountChange,
  grantOf,
  MAX_REASON_LENGTH,
  updateAccount,
} from "../../../../lib/accounts/account.ts";
import {
  listAuditEntries,
  type Origin,
  OutdatedError,
  recordDeed,
  versionOf,
} from "../../../../lib/accounts/audit_log.ts";
import { createKey } from "../../../../lib/accounts/key.ts";
import { deleteAccount } from "../../../../lib/accounts/owner.ts";
import { correctCharge, CorrectionError } from "../../../../lib/proxy/ledger/correction.ts";
import { dayOf } from "../../../../lib/platform/utc_days.ts";
import {
  type Fields,
  readAmount,
  readKeyForm,
  unknownAction,
  wrongField,
} from "../../../../lib/members/forms.ts";
import { endSessions } from "../../../../lib/members/sessions.ts";
import { type AccountView, endpointNames, readAccountView } from "../../../../lib/members/view.ts";
import type { Config } from "../../../../lib/platform/config/config.ts";
import { parseUsd } from "../../../../lib/platform/money.ts";
import { DAY_MILLISECONDS, formatMinute } from "../../../../lib/platform/time.ts";
import { limitField, NAME, readName, stateOf } from "../../../../components/desk/accounts.tsx";
import { ChangeTable } from "../../../../components/desk/changes.tsx";
import {
  accountAt,
  deskMethods,
  originOf,
  readReason,
  WHY,
} from "../../../../components/desk/desk.tsx";
import {
  type Again,
  ButtonForm,
  ofAction,
  TextField,
  type TextFieldOf,
} from "../../../../components/shared/fields.tsx";
import { Facts, Keys } from "../../../../components/shared/keys.tsx";
import { Moment } from "../../../../components/shared/moments.tsx";
import { doneAt, showNewKey } from "../../../../components/shared/private.tsx";
import { Requests } from "../../../../components/shared/Requests.tsx";
import { dollars, Spending, Standing } from "../../../../components/shared/Spending.tsx";

const ACCOUNTS = "/desk/accounts";
/** How many changes the page shows. */
const CHANGES = 20;
/** The operator's remedies for a full limit. */
const ADVICE = "Grant more for today, or raise the limit.";
const GRANT = {
  name: "grant",
  label: "Limit for this time, USD",
  inputMode: "decimal",
  size: 8,
} as const;
const UNTIL = { name: "until", label: "Until the end of (UTC)", type: "date" } as const;
const REASON = {
  name: "reason",
  label: "Reason, which the members read",
  maxLength: MAX_REASON_LENGTH,
};

export const handler = deskMethods({
  async GET({ ctx, session }, wrong) {
    const account = await accountAt(ctx);
    const { services } = ctx.state;
    const [view, all] = await Promise.all([
      readAccountView(services, { account, session }),
      Array.fromAsync(listAuditEntries(services.kv, account.id)),
    ]);
    const changes = all.toReversed().slice(0, CHANGES)
      .map((change) => ({ ...change, accountId: account.id }));
    const page = `${ACCOUNTS}/${account.id}`;
    const isDeleted = account.deletedAt !== undefined;
    return {
      title: account.name,
      up: [ACCOUNTS, "Accounts"],
      children: (
        <>
          <Standings view={view} />
          <div class="account-top">
            <section>
              <Standing usage={view.usage} advice={ADVICE} />
              <Spending usage={view.usage} />
            </section>
            {!isDeleted && <Forms {...{ view, page, wrong }} />}
          </div>
          <p class="fine">Times are in UTC.</p>
          <Requests view={view} />
          <Keys {...{ view, page, wrong }} base={page} {...isDeleted && { max: 0 }} />
          <h2 id="changes">Last changes</h2>
          <ChangeTable label="Last changes" changes={changes} now={view.now} isOfOne />
          <p>
            <a href={`/desk/record?account=${account.id}`}>All its changes</a>
          </p>
        </>
      ),
    };
  },
  async POST(form) {
    const { fields, signIn, ctx: { state: { services: { kv, config, now } } } } = form;
    const { id, deletedAt } = await accountAt(form.ctx);
    if (deletedAt !== undefined) throw new OutdatedError("The account is deleted.");
    const name = fields.one("action");
    const origin = originOf(form);
    if (name === "key") {
      const asked = readKeyForm(fields, id, endpointNames(config), now());
      const { key, text } = await createKey(kv, asked, origin);
      return showNewKey(`${ACCOUNTS}/${id}/${key.id}`, signIn, text);
    }
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (action === undefined) throw unknownAction();
    await action.act(kv, id, { ...origin, madeFrom: fields.one("version") }, fields, config);
    return doneAt(name === "delete" ? ACCOUNTS : `${ACCOUNTS}/${id}`, signIn, `account-${name}`);
  },
});

/** A form, what it asks for and what it does. */
interface Action {
  /** The button's. */
  readonly label: string;
  readonly isQuiet?: boolean;
  readonly isDangerous?: boolean;
  /** The line that unfolds the form; absent if the form is always open. */
  readonly summary?: string;
  /** Absent if it is always there. */
  readonly isOffered?: (view: AccountView) => boolean;
  readonly fields?: (account: Account, now: number) => readonly TextFieldOf[];
  readonly note?: string;
  readonly act: (
    kv: Deno.Kv,
    id: string,
    origin: Origin,
    fields: Fields,
    config: Config,
  ) => Promise<unknown>;
}

/**
 * The forms by their actions, in the order of the page. Each carries the version of the account that it was made from,
 * and the time at which it was made: a correction that is sent twice is booked once.
 */
const ACTIONS: Readonly<Record<string, Action>> = {
  limit: {
    label: "Save the limit",
    fields: ({ limitNanoUsd }) => [limitField("limit", limitNanoUsd)],
    act: updating((fields) => ({ limitNanoUsd: readAmount(fields, "limit") })),
  },
  grant: {
    label: "Grant",
    summary: "Grant more for today, or longer…",
    fields: (_account, now) => [GRANT, { ...UNTIL, value: dayOf(now) }, WHY],
    act: updating((fields, now) => {
      const limitNanoUsd = readAmount(fields, "grant");
      if (limitNanoUsd === null) throw wrongField("grant", "The granted limit is empty.");
      return { grant: { limitNanoUsd, until: readEndOfDay(fields, now) } };
    }),
  },
  ungrant: {
    label: "End the grant",
    isQuiet: true,
    isOffered: ({ account, now }) => grantOf(account, now) !== null,
    act: updating(() => ({ grant: null })),
  },
  ban: {
    label: "Ban the account",
    isDangerous: true,
    summary: "Ban…",
    isOffered: ({ account }) => !account.banned,
    fields: () => [REASON],
    note: "Requests with its keys are refused within five seconds.",
    act: updating((fields) => ({ banned: true, banReason: readReason(fields, REASON.name) })),
  },
  unban: {
    label: "Lift the ban",
    isOffered: ({ account }) => account.banned,
    act: updating(() => ({ banned: false })),
  },
  verify: {
    label: "Verify",
    isOffered: ({ account }) => !account.verified,
    act: updating(() => ({ verified: true })),
  },
  unverify: {
    label: "Mark as not verified",
    isQuiet: true,
    isOffered: ({ account }) => account.verified,
    act: updating(() => ({ verified: false })),
  },
  sessions: {
    label: "End all sessions",
    isQuiet: true,
    isOffered: ({ sessions }) => sessions.length > 0,
    async act(kv, id, origin) {
      await recordDeed(kv, id, "end sessions", origin);
      await endSessions(kv, id);
    },
  },
  correct: {
    label: "Book the correction",
    summary: "Correct a charge…",
    fields: (_account, now) => [
      { name: "day", label: "Day of the charge (UTC)", type: "date", value: dayOf(now) },
      { name: "amount", label: "USD, such as -0.50 to book it back" },
      REASON,
      { name: "request", label: "Id of the request, if it is known" },
    ],
    async act(kv, id, origin, fields, config) {
      const text = fields.one("amount");
      const size = parseUsd(text.replace(/^[-\u2212]/, ""));
      if (size === null) {
        const hint = "Write one such as -0.50 or 0.02.";
        throw wrongField("amount", `${JSON.stringify(text.slice(0, 40))} is not an amount.`, hint);
      }
      const amount = /^[-\u2212]/.test(text) ? -size : size;
      const reason = readReason(fields, REASON.name) ?? "";
      const requestId = fields.one("request") || undefined;
      const at = Number(fields.one("at"));
      const asked = { at, accountId: id, day: fields.one("day"), amount, reason, requestId };
      try {
        await correctCharge(kv, asked, {
          hasOutbox: config.ANALYTICS_URL !== undefined,
          hasServiceLimit: config.SERVICE_DAILY_LIMIT_USD !== undefined,
        }, origin);
      } catch (error) {
        if (error instanceof CorrectionError) throw wrongField("amount", error.message);
        throw error;
      }
    },
  },
  rename: {
    label: "Rename",
    summary: "Rename…",
    fields: ({ name }) => [{ ...NAME, value: name }],
    note: "A member's next sign-in brings back the name of the identity provider.",
    act: updating((fields) => ({ name: readName(fields) })),
  },
  delete: {
    label: "Delete the account permanently",
    isDangerous: true,
    summary: "Delete…",
    note:
      "Its keys stop working, and its names are removed. The books keep what it spent. This cannot be undone.",
    async act(kv, id, origin) {
      await deleteAccount(kv, id, origin);
      await endSessions(kv, id);
    },
  },
};

function updating(change: (fields: Fields, now: number) => AccountChange): Action["act"] {
  return (kv, id, origin, fields) => updateAccount(kv, id, change(fields, origin.at), origin);
}

function Forms({ view, page, wrong }: Again & {
  readonly view: AccountView;
  readonly page: string;
}) {
  const version = versionOf(view.account);
  const at = String(view.now);
  // A form that changed nothing is shown again, with what was typed.
  const offered = Object.entries(ACTIONS).filter(([action, { isOffered }]) =>
    isOffered?.(view) !== false || ofAction(wrong, action) !== undefined
  );
  return (
    <section>
      {offered.map(
        ([action, { summary, fields, note, act: _, isOffered: _offered, ...button }]) => {
          const again = ofAction(wrong, action);
          const form = (
            <ButtonForm key={action} action={page} fields={{ action, version, at }} {...button}>
              {fields?.(view.account, view.now).map((field) => (
                <TextField key={field.name} {...field} wrong={again} />
              ))}
              {note && <p class="fine">{note}</p>}
            </ButtonForm>
          );
          if (summary === undefined) return form;
          return (
            <details key={action} open={again !== undefined}>
              <summary>{summary}</summary>
              {form}
            </details>
          );
        },
      )}
    </section>
  );
}

function Standings({ view: { account, usage, sessions, now } }: { readonly view: AccountView }) {
  const { id, banned, banReason, limitNanoUsd, reference, createdAt } = account;
  const grant = grantOf(account, now);
  const source = grant !== null
    ? `, granted until ${formatMinute(grant.until)}`
    : limitNanoUsd === null
    ? ", the default"
    : "";
  return (
    <Facts
      facts={{
        "Id": <code>{id}</code>,
        "State": banned && banReason ? `banned: ${banReason}` : stateOf(account),
        "Daily limit": dollars(usage.limitUsd) + source,
        "Reference": reference,
        "Created": <Moment at={createdAt} now={now} />,
        "Signed in": ["nowhere", "in one browser"][sessions.length] ??
          `in ${sessions.length} browsers`,
      }}
    />
  );
}

/** The end of a UTC day that is not over (epoch milliseconds). */
function readEndOfDay(fields: Fields, now: number): number {
  const text = fields.one("until");
  const begin = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : NaN;
  const end = begin + DAY_MILLISECONDS;
  if (end > now) return end;
  const message = Number.isNaN(end) ? "The day is missing." : "The day is over.";
  throw wrongField("until", message, "Write one such as 2027-01-31.");
}
