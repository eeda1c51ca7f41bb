/** `/account`: a member's own page, or the sign-in page for other visitors; its forms make a key, and end sessions. */

import { ACCOUNT } from "../../lib/platform/address.ts";
import type { VNode } from "preact";
import { createKey, MAX_LIVE_KEYS } from "../../lib/accounts/key.ts";
import { readKeyForm } from "../../lib/members/forms.ts";
import { endSessionById, endSessions } from "../../lib/members/sessions.ts";
import { type AccountView, endpointNames, readAccountView } from "../../lib/members/view.ts";
import CopyButtons from "../../islands/CopyButtons.tsx";
import OwnTimes from "../../islands/OwnTimes.tsx";
import { memberMethods } from "../../components/account/members.tsx";
import { CopiedLine, keySamples } from "../../components/documents/samples.tsx";
import { ButtonForm } from "../../components/shared/fields.tsx";
import { Keys } from "../../components/shared/keys.tsx";
import { Ago, Moment } from "../../components/shared/moments.tsx";
import { doneAt, showNewKey } from "../../components/shared/private.tsx";
import { Requests } from "../../components/shared/Requests.tsx";
import { Operators, useSite } from "../../components/shared/site.tsx";
import { Spending, Standing } from "../../components/shared/Spending.tsx";
import { Table } from "../../components/shared/Table.tsx";

export const handler = memberMethods({
  async GET({ ctx, account, session }, wrong) {
    const view = await readAccountView(ctx.state.services, { account, session });
    const { usage, liveKeys: [key], endedKeys } = view;
    const isFirst = key === undefined && endedKeys.length === 0;
    const place = key === undefined ? "foyer_…" : `foyer_${key.id}_…`;
    const samples = await keySamples(ctx, place, { isShort: true });
    const keys = (
      <Keys {...{ view, wrong }} page={ACCOUNT} base={`${ACCOUNT}/keys`} max={MAX_LIVE_KEYS} />
    );
    return {
      title: account.name,
      beside: (
        <>
          {session.operatorBy !== undefined && <a href="/desk">The desk</a>}
          <ButtonForm action="/account/sign-out" label="Sign out" isQuiet />
        </>
      ),
      children: (
        <>
          {!account.verified && <Unverified id={account.id} />}
          {isFirst && keys}
          <div class="account-top">
            <section>
              <Standing usage={usage} />
            </section>
            <Beginning {...{ place, samples }} />
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
                <a href="/account/data.json" download="foyer-account.json">Download everything</a>
                {" "}
                that is stored about you, as JSON. The id of your account is{" "}
                <code>{account.id}</code>.
              </p>
              <p>
                <a class="plain-button danger" href="/account/delete">Delete your account</a>
              </p>
            </section>
          </div>
          <CopyButtons />
        </>
      ),
    };
  },
  async POST({ ctx, signIn, account, session, fields }) {
    const { kv, config, now } = ctx.state.services;
    const ended = fields.one("session");
    if (ended === "others") {
      await endSessions(kv, account.id, session.id);
      return doneAt(ACCOUNT, signIn, "sessions");
    }
    if (ended !== "") {
      await endSessionById(kv, account.id, ended);
      return doneAt(ACCOUNT, signIn, "session");
    }
    const asked = readKeyForm(fields, account.id, endpointNames(config), now());
    const origin = { at: now(), by: { accountId: account.id } };
    const { key, text } = await createKey(kv, asked, origin);
    return showNewKey(`${ACCOUNT}/keys/${key.id}`, signIn, text);
  },
  signedOut: ({ issuerName }) => ({
    title: "Your account",
    children: <SignIn issuerName={issuerName} />,
  }),
});

function Unverified({ id }: { readonly id: string }) {
  return (
    <div class="verdict warning">
      <p class="lede">
        Your identity is not verified yet, so requests with your keys are refused.
      </p>
      <p>
        Once you are verified where you sign in, sign out and sign in again. If that does not help,
        give <Operators /> the id of your account: <code>{id}</code>.
      </p>
    </div>
  );
}

/** Where requests and assistants find the service, and where the key goes. */
function Beginning({ place, samples }: {
  /** The placeholder of the key. */
  readonly place: string;
  readonly samples: VNode;
}) {
  const { baseUrl } = useSite();
  return (
    <section>
      <h2 id="begin">Send a request</h2>
      <p>
        Put your key in the marked place. <a href="/docs/proxy">The guide</a>{" "}
        has samples for every client, and explains limits and errors.
      </p>
      <CopiedLine label="Base address" text={`${baseUrl}/proxy/v1`} />
      {samples}
      <CopiedLine label="Address for assistants (MCP)" text={`${baseUrl}/mcp`} />
      <p>
        Add this address to an assistant, with your key in the header{" "}
        <code>
          Authorization: Bearer <mark>{place}</mark>
        </code>{" "}
        (<a href="/docs/agents">how, for each assistant</a>).
      </p>
    </section>
  );
}

function Sessions({ view: { sessions, sessionId, now } }: { readonly view: AccountView }) {
  const end = (session: string, label: string) => (
    <ButtonForm action={ACCOUNT} label={label} fields={{ session }} isQuiet />
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

/** Explains the purpose of an account, and leads to the identity provider. */
function SignIn({ issuerName }: { readonly issuerName: string }) {
  return (
    <>
      <p class="lede">
        Sign in to create API keys for{" "}
        <a href="/docs/proxy">the AI proxy</a>, and to see what they spend.
      </p>
      <p>
        {/* The whole address: the provider sends the browser back to this host, whose cookies it then needs. */}
        <a class="plain-button" href={`${useSite().baseUrl}/account/sign-in`} rel="nofollow">
          Sign in with {issuerName}
        </a>
      </p>
      <p class="fine">
        {issuerName}{" "}
        tells this site your name and your id there, but no password. This site stores both. It
        stores neither your e-mail address nor your IP address.
      </p>
    </>
  );
}
