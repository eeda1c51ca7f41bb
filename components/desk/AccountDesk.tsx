/** The desk's page of one account: its standing, keys, requests, and the forms that change it. */

import type { AccountView } from "../../lib/members/mod.ts";
import { type ChangeOfAccount, MAX_REASON_LENGTH, versionOf } from "../../lib/proxy/mod.ts";
import { formatUsd } from "../../lib/platform/money.ts";
import { formatMinute } from "../../lib/platform/time.ts";
import { type Again, ButtonForm, ofAction, TextField } from "../shared/fields.tsx";
import { Facts, Keys } from "../shared/keys.tsx";
import { Moment } from "../shared/moments.tsx";
import { Requests } from "../shared/Requests.tsx";
import { dollars, Spending, Standing } from "../shared/Spending.tsx";
import { LimitField, stateOf } from "./accounts.tsx";
import { ChangeTable } from "./changes.tsx";
import { WhyField } from "./desk.tsx";

/** The page's content. */
export function AccountDesk({ view, changes, wrong }: Again & {
  readonly view: AccountView;
  /** Those of the account and its keys, the latest first. */
  readonly changes: readonly ChangeOfAccount[];
}) {
  const { account, usage, now } = view;
  const page = `/desk/accounts/${account.id}`;
  const isDeleted = account.deletedAt !== undefined;
  return (
    <>
      <Standings view={view} />
      <div class="account-top">
        <section>
          <Standing usage={usage} />
          <Spending usage={usage} />
        </section>
        {!isDeleted && (
          <section class="forms">
            <Changes {...{ view, page, wrong }} />
          </section>
        )}
      </div>
      <p class="fine">Times are in UTC.</p>
      <Requests view={view} />
      <Keys {...{ view, page, wrong }} base={page} {...isDeleted && { max: 0 }} />
      <h2 id="changes">Last changes</h2>
      <ChangeTable label="Last changes" changes={changes} now={now} isOfOne />
      <p>
        <a href={`/desk/record?account=${account.id}`}>All its changes</a>
      </p>
    </>
  );
}

function Standings({ view: { account, usage, sessions, now } }: { readonly view: AccountView }) {
  const { id, banned, banReason, limitNanoUsd, grant, reference, createdAt } = account;
  const source = grant && now < grant.until
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

/** The forms. Each carries the version of the account that it was made from. */
function Changes({ view: { account, sessions, now }, page, wrong }: Again & {
  readonly view: AccountView;
  readonly page: string;
}) {
  const { name, banned, verified, limitNanoUsd, grant, owner } = account;
  const version = versionOf(account);
  const form = (action: string) => ({ action: page, fields: { action, version } });
  const again = (action: string) => ({ wrong: ofAction(wrong, action) });
  const isOpen = (action: string) => ofAction(wrong, action) !== undefined;
  return (
    <>
      <h2>Limit</h2>
      <ButtonForm {...form("limit")} label="Save the limit">
        <LimitField
          name="limit"
          value={limitNanoUsd === null ? "" : formatUsd(limitNanoUsd)}
          {...again("limit")}
        />
      </ButtonForm>
      <details open={isOpen("grant")}>
        <summary>Grant another limit for a while</summary>
        <ButtonForm {...form("grant")} label="Grant">
          <LimitField name="grant" {...again("grant")} />
          <TextField name="until" label="Until the end of (UTC)" type="date" {...again("grant")} />
          <WhyField {...again("grant")} />
        </ButtonForm>
        {grant && now < grant.until && (
          <ButtonForm {...form("ungrant")} label="End the grant" isQuiet />
        )}
      </details>
      <h2>Access</h2>
      {banned
        ? <ButtonForm {...form("unban")} label="Lift the ban" />
        : (
          <details open={isOpen("ban")}>
            <summary>Ban…</summary>
            <ButtonForm {...form("ban")} label="Ban the account" isDangerous>
              <TextField
                name="reason"
                label="Reason, which the members read"
                maxLength={MAX_REASON_LENGTH}
                {...again("ban")}
              />
              <p class="fine">Requests with its keys are refused within five seconds.</p>
            </ButtonForm>
          </details>
        )}
      <ButtonForm
        {...form(verified ? "unverify" : "verify")}
        label={verified ? "Mark as not verified" : "Verify"}
        isQuiet={verified}
      />
      {sessions.length > 0 && <ButtonForm {...form("sessions")} label="End all sessions" isQuiet />}
      <h2>Name</h2>
      <ButtonForm {...form("rename")} label="Rename">
        <TextField name="name" label="Name" value={name} maxLength={100} {...again("rename")} />
        {owner && (
          <p class="fine">The next sign-in brings back the name of the identity provider.</p>
        )}
      </ButtonForm>
      <details>
        <summary>Delete…</summary>
        <p>
          Its keys stop working, and its names are removed. The books keep what it spent. This
          cannot be undone.
        </p>
        <ButtonForm {...form("delete")} label="Delete the account permanently" isDangerous />
      </details>
    </>
  );
}
