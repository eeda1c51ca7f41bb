/** A member's own page: what is left today, how to begin, keys, usage, requests, sessions, data. */

import type { VNode } from "preact";
import { Spending, Standing } from "../shared/Spending.tsx";
import { Table } from "../shared/Table.tsx";
import { MAX_LIVE_KEYS } from "../../lib/proxy/mod.ts";
import { ACCOUNT, type AccountView } from "../../lib/members/mod.ts";
import CopyButtons from "../../islands/CopyButtons.tsx";
import OwnTimes from "../../islands/OwnTimes.tsx";
import { type Again, ButtonForm } from "../shared/fields.tsx";
import { Keys } from "../shared/keys.tsx";
import { Ago, Moment } from "../shared/moments.tsx";
import { Requests } from "../shared/Requests.tsx";

/** The page's content. */
export function AccountPage({ view, samples, wrong }: Again & {
  readonly view: AccountView;
  /** The base address, and a sample with the place of the latest key. */
  readonly samples: VNode;
}) {
  const { account, usage, liveKeys, endedKeys } = view;
  const isFirst = liveKeys.length + endedKeys.length === 0;
  const base = `${ACCOUNT}/keys`;
  const keys = <Keys {...{ view, base, wrong }} page={ACCOUNT} max={MAX_LIVE_KEYS} />;
  return (
    <>
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
    </>
  );
}

function Sessions({ view: { sessions, sessionId, now } }: { readonly view: AccountView }) {
  const end = (session: string, label: string) => (
    <ButtonForm action="/account/sessions" label={label} fields={{ session }} isQuiet />
  );
  return (
    <section>
      <h2 id="sessions">Where you are signed in</h2>
      <Table
        label="Where you are signed in"
        head={["Signed in", "Last seen", "Where"]}
        rows={sessions.map(({ id, signedInAt, seenAt }) => [
          <Moment key="in" at={signedInAt} now={now} />,
          <Ago key="seen" at={seenAt} now={now} />,
          id === sessionId ? "this browser" : end(id, "Sign out"),
        ])}
      />
      {sessions.length > 1 && end("others", "Sign out everywhere else")}
    </section>
  );
}
