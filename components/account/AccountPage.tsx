/** A member's own page: what is left today, how to begin, keys, usage, requests, sessions, data. */

import type { VNode } from "preact";
import { dollars, Spending, Standing, Verdict } from "../shared/Spending.tsx";
import { Table } from "../shared/Table.tsx";
import { MAX_LIVE_KEYS } from "../../lib/proxy/mod.ts";
import type { AccountView, KeyView } from "../../lib/members/mod.ts";
import { toUsd } from "../../lib/platform/money.ts";
import CopyButtons from "../../islands/CopyButtons.tsx";
import OwnTimes from "../../islands/OwnTimes.tsx";
import { AccountFrame, Ago, ButtonForm, Moment } from "./AccountFrame.tsx";
import { NewKeyForm } from "./KeyForms.tsx";
import type { WrongForm } from "../shared/fields.tsx";

/** The page. */
export function AccountPage({ view, samples, wrong }: {
  readonly view: AccountView;
  /** The base address, and a sample with the place of the latest key. */
  readonly samples: VNode;
  readonly wrong: WrongForm | undefined;
}) {
  const { account, usage } = view;
  const isFirst = view.liveKeys.length + view.endedKeys.length === 0;
  const keys = <Keys view={view} isFirst={isFirst} wrong={wrong} />;
  return (
    <AccountFrame title="Account">
      <div class="row account-head">
        <h1>{account.name}</h1>
        <ButtonForm action="/account/sign-out" label="Sign out" isQuiet />
      </div>
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
      {isFirst && keys}
      <div class="account-top">
        <section>
          <Verdict usage={usage} />
          <Standing usage={usage} />
        </section>
        <section>
          <h2 id="begin">Send a request</h2>
          <p>
            Put your key in the marked place. <a href="/docs/proxy">The guide</a>{" "}
            has samples for every client, and explains limits and errors.
          </p>
          {samples}
        </section>
        <section>
          <Spending usage={usage} />
        </section>
      </div>
      {!isFirst && keys}
      <OwnTimes />
      <Requests view={view} />
      <div class="pairs">
        <Sessions view={view} />
        <section>
          <h2 id="data">Your data</h2>
          <p>
            <a href="/account/data.json" download="foyer-account.json">Download everything</a>{" "}
            that is stored about you, as JSON. The id of your account is <code>{account.id}</code>.
          </p>
          <p>
            <a class="plain-button danger" href="/account/delete">Delete your account</a>
          </p>
        </section>
      </div>
      <CopyButtons />
    </AccountFrame>
  );
}

function Keys({ view: { liveKeys: live, endedKeys: ended, allEndpoints, now }, isFirst, wrong }: {
  readonly view: AccountView;
  readonly isFirst: boolean;
  readonly wrong: WrongForm | undefined;
}) {
  return (
    <>
      <h2 id="keys">API keys</h2>
      {isFirst
        ? <p>Create your first key here.</p>
        : <KeyTable label="Keys that work" keys={live} now={now} />}
      {live.length < MAX_LIVE_KEYS
        ? (
          <details open={isFirst || wrong !== undefined}>
            <summary>Create a key</summary>
            <NewKeyForm allEndpoints={allEndpoints} wrong={wrong} />
          </details>
        )
        : <p>You have {MAX_LIVE_KEYS} keys, the maximum. Revoke one to create another.</p>}
      {ended.length > 0 && (
        <details>
          <summary>Keys that no longer work</summary>
          <KeyTable label="Keys that no longer work" keys={ended} now={now} />
        </details>
      )}
    </>
  );
}

function KeyTable({ label, keys, now }: {
  readonly label: string;
  readonly keys: readonly KeyView[];
  readonly now: number;
}) {
  return (
    <Table
      label={label}
      head={["Name", "Last used", "May spend", "Ends"]}
      rows={keys.map(({ id, name, lastUsedAt, endsAt, state, limitUsd, endpoints }) => [
        <a key="name" href={`/account/keys/${id}`}>{name}</a>,
        <Ago key="used" at={lastUsedAt} now={now} />,
        (limitUsd === null ? "your limit" : `${dollars(limitUsd)} a day`) +
        (endpoints === null ? "" : ` on ${endpoints.join(", ")}`),
        state === "revoked" ? "revoked" : <Moment key="ends" at={endsAt} now={now} />,
      ])}
    />
  );
}

/** What was requested, and what was refused; nothing, if there was nothing. */
function Requests({ view: { requests, refusals, now } }: { readonly view: AccountView }) {
  return (
    <>
      {requests.length > 0 && (
        <>
          <h2 id="requests">Last requests</h2>
          <Table
            label="Last requests"
            fits="lines"
            head={["Time", "Endpoint", "Cost", "Status", "Key", "Duration"]}
            rows={requests.map(({ at, endpoint, key, cost, status, durationMs }) => [
              <Moment key="at" at={at} now={now} />,
              endpoint,
              dollars(toUsd(cost)),
              status ?? "unknown",
              key,
              durationMs === null ? "unknown" : `${durationMs.toLocaleString("en")} ms`,
            ])}
          />
        </>
      )}
      {refusals.length > 0 && (
        <>
          <h2 id="refused">Refused requests</h2>
          <p>They cost nothing. Those of the last two weeks are kept, without their content.</p>
          <Table
            label="Refused requests"
            head={["Last", "Endpoint", "Key", "Why", "How often"]}
            rows={refusals.map(({ lastAt, endpoint, key, reason, requests }) => [
              <Moment key="at" at={lastAt} now={now} />,
              endpoint ?? "several",
              key ?? "several",
              reason,
              requests.toLocaleString("en"),
            ])}
          />
        </>
      )}
    </>
  );
}

function Sessions({ view: { sessions, sessionId, now } }: { readonly view: AccountView }) {
  return (
    <section>
      <h2 id="sessions">Where you are signed in</h2>
      <Table
        label="Where you are signed in"
        head={["Signed in", "Last seen", "Where"]}
        rows={sessions.map(({ id, signedInAt, seenAt }) => [
          <Moment key="in" at={signedInAt} now={now} />,
          <Ago key="seen" at={seenAt} now={now} />,
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
    </section>
  );
}
