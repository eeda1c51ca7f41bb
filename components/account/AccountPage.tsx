/** A member's own page: standing, keys, requests, sessions, data. */

import { Dollars, Spending, Standing, Verdict } from "../shared/Spending.tsx";
import { Table } from "../shared/Table.tsx";
import { MAX_LIVE_KEYS } from "../../lib/proxy/mod.ts";
import type { AccountView, KeyView } from "../../lib/members/mod.ts";
import { toUsd } from "../../lib/platform/money.ts";
import { AccountFrame, ButtonForm, Moment } from "./AccountFrame.tsx";
import { NewKeyForm } from "./KeyForms.tsx";

/** The page. */
export function AccountPage({ view }: { readonly view: AccountView }) {
  const {
    account,
    usage,
    liveKeys,
    endedKeys,
    requests,
    refusals,
    sessions,
    sessionId,
    allEndpoints,
  } = view;
  return (
    <AccountFrame title="Account">
      <div class="row account-head">
        <h1>{account.name}</h1>
        <ButtonForm action="/account/sign-out" label="Sign out" isQuiet />
      </div>
      <p>
        <a href="/usage">Your usage</a> by key
      </p>
      {!account.verified && (
        <div class="verdict warning">
          <p class="lede">
            Your identity is not verified yet, so requests with your keys are refused.
          </p>
          <p>
            Once you are verified where you sign in, sign out and sign in again. If that does not
            help, give the people who run this site the id of your account:{" "}
            <code>{account.id}</code>.
          </p>
        </div>
      )}
      <Verdict usage={usage} />
      <Standing usage={usage} />
      <Keys live={liveKeys} ended={endedKeys} allEndpoints={allEndpoints} />
      <Spending usage={usage} />
      {requests.length > 0 && (
        <>
          <h2 id="requests">Last requests</h2>
          <Table
            label="Last requests"
            head={["Time (UTC)", "Endpoint", "Key", "Cost", "Status", "Duration"]}
            rows={requests.map((
              { at, endpoint, keyId, keyLabel, cost, status, durationMs },
            ) => [
              toSecond(at),
              endpoint,
              keyLabel ?? keyId,
              <Dollars key="cost" amount={toUsd(cost)} />,
              status ?? "unknown",
              durationMs === null ? "unknown" : `${durationMs.toLocaleString("en")} ms`,
            ])}
          />
        </>
      )}
      <Refusals refusals={refusals} />
      <h2 id="sessions">Where you are signed in</h2>
      <Table
        label="Where you are signed in"
        head={["Signed in (UTC)", "Last seen", "Where"]}
        rows={sessions.map(({ id, signedInAt, seenAt }) => [
          toSecond(signedInAt),
          <Moment key="seen" at={seenAt} />,
          id === sessionId ? "this browser" : (
            <ButtonForm
              key="end"
              action="/account/sessions"
              label="Sign out"
              fields={{ session: id }}
              isQuiet
            />
          ),
        ])}
      />
      {sessions.length > 1 && (
        <ButtonForm
          action="/account/sessions"
          label="Sign out everywhere else"
          fields={{ session: "others" }}
          isQuiet
        />
      )}
      <h2 id="data">Your data</h2>
      <p>
        <a href="/account/data.json" download="foyer-account.json">Download everything</a>{" "}
        that is stored about you, as JSON. The id of your account is <code>{account.id}</code>.
      </p>
      <p>
        <a href="/account/delete">Delete your account</a>
      </p>
    </AccountFrame>
  );
}

function Keys({ live, ended, allEndpoints }: {
  readonly live: readonly KeyView[];
  readonly ended: readonly KeyView[];
  readonly allEndpoints: readonly string[];
}) {
  const isFirst = live.length + ended.length === 0;
  return (
    <>
      <h2 id="keys">API keys</h2>
      {isFirst
        ? (
          <p>
            Create your first key here. It works with the clients in{" "}
            <a href="/docs/proxy">the guide</a>.
          </p>
        )
        : <KeyTable label="Keys that work" keys={live} />}
      {live.length < MAX_LIVE_KEYS
        ? (
          <details open={isFirst}>
            <summary>Create a key</summary>
            <NewKeyForm allEndpoints={allEndpoints} />
          </details>
        )
        : <p>You have {MAX_LIVE_KEYS} keys, the maximum. Revoke one to create another.</p>}
      {ended.length > 0 && (
        <details>
          <summary>Keys that no longer work</summary>
          <KeyTable label="Keys that no longer work" keys={ended} />
        </details>
      )}
    </>
  );
}

function KeyTable({ label, keys }: { readonly label: string; readonly keys: readonly KeyView[] }) {
  return (
    <Table
      label={label}
      head={["Id", "Name", "Created (UTC)", "Last used", "Ends", "Limits"]}
      rows={keys.map(({ id, label, createdAt, lastUsedAt, endsAt, state, limitUsd, endpoints }) => [
        id,
        <a key="name" href={`/account/keys/${id}`}>{label ?? "(no name)"}</a>,
        <Moment key="made" at={createdAt} />,
        <Moment key="used" at={lastUsedAt} />,
        state === "revoked" ? "revoked" : <Moment key="ends" at={endsAt} />,
        [limitUsd === null ? [] : `$${limitUsd} a day`, endpoints ?? []].flat().join(", ") ||
        "none",
      ])}
    />
  );
}

/** Such as `2026-11-21 12:00:00`, in UTC. */
const toSecond = (at: number) => new Date(at).toISOString().slice(0, 19).replace("T", " ");

/** Nothing, if nothing was refused. */
function Refusals({ refusals }: Pick<AccountView, "refusals">) {
  if (refusals.length === 0) return null;
  return (
    <>
      <h2 id="refused">Refused requests</h2>
      <p>They cost nothing. Those of the last two weeks are kept, without their content.</p>
      <Table
        label="Refused requests"
        head={["Last (UTC)", "Endpoint", "Key", "Why", "How often"]}
        rows={refusals.map(({ lastAt, endpoint, key, reason, requests }) => [
          toSecond(lastAt),
          endpoint ?? "several",
          key ?? "several",
          reason,
          requests.toLocaleString("en"),
        ])}
      />
    </>
  );
}
