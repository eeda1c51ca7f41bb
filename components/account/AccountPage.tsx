/** A member's own page: what is left today, how to begin, keys, usage, requests, sessions, data. */

import type { VNode } from "preact";
import { Spending, Standing, Verdict } from "../shared/Spending.tsx";
import { Table } from "../shared/Table.tsx";
import { MAX_LIVE_KEYS } from "../../lib/proxy/mod.ts";
import type { AccountView } from "../../lib/members/mod.ts";
import CopyButtons from "../../islands/CopyButtons.tsx";
import OwnTimes from "../../islands/OwnTimes.tsx";
import { ButtonForm, type WrongForm } from "../shared/fields.tsx";
import { NewKeyForm } from "../shared/KeyForms.tsx";
import { KeyTable } from "../shared/KeyTable.tsx";
import { Ago, Moment } from "../shared/moments.tsx";
import { Requests } from "../shared/Requests.tsx";
import { AccountFrame } from "../shared/AccountFrame.tsx";

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
        {view.sessions.some(({ id, operatorBy }) => id === view.sessionId && operatorBy) && (
          <a href="/desk">The desk</a>
        )}
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
        : <KeyTable label="Keys that work" base="/account/keys" keys={live} now={now} />}
      {live.length < MAX_LIVE_KEYS
        ? (
          <details open={isFirst || wrong !== undefined}>
            <summary>Create a key</summary>
            <NewKeyForm action="/account" allEndpoints={allEndpoints} wrong={wrong} />
          </details>
        )
        : <p>You have {MAX_LIVE_KEYS} keys, the maximum. Revoke one to create another.</p>}
      {ended.length > 0 && (
        <details>
          <summary>Keys that no longer work</summary>
          <KeyTable label="Keys that no longer work" base="/account/keys" keys={ended} now={now} />
        </details>
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
