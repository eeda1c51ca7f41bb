/** `/account`: a member's own page, or the sign-in page for other visitors; its form makes a key. */

import { createOwnKey } from "../../lib/proxy/mod.ts";
import { ACCOUNT, endpointNames, readAccountView, readKeyForm } from "../../lib/members/mod.ts";
import { AccountPage } from "../../components/account/AccountPage.tsx";
import { memberMethods } from "../../components/account/members.tsx";
import { CopiedLine, keySamples } from "../../components/documents/samples.tsx";
import { ButtonForm } from "../../components/shared/fields.tsx";
import { showNewKey } from "../../components/shared/private.tsx";
import { useSite } from "../../components/shared/site.tsx";

export const handler = memberMethods({
  async GET({ ctx, account, session }, wrong) {
    const view = await readAccountView(ctx.state.services, { account, session });
    const [key] = view.liveKeys;
    const place = key === undefined ? "foyer_…" : `foyer_${key.id}_…`;
    const samples = (
      <>
        <CopiedLine label="Base address" text={`${ctx.state.site.baseUrl}/proxy/v1`} />
        {await keySamples(ctx, place, { isShort: true })}
        <Assistant place={place} />
      </>
    );
    return {
      title: account.name,
      beside: (
        <>
          {session.operatorBy !== undefined && <a href="/desk">The desk</a>}
          <ButtonForm action="/account/sign-out" label="Sign out" isQuiet />
        </>
      ),
      children: <AccountPage {...{ view, samples, wrong }} />,
    };
  },
  async POST({ ctx, signIn, account, fields }) {
    const { kv, config, now } = ctx.state.services;
    const asked = readKeyForm(fields, account.id, endpointNames(config), now());
    const { key, text } = await createOwnKey(kv, asked, now());
    return showNewKey(`${ACCOUNT}/keys/${key.id}`, signIn, text);
  },
  signedOut: ({ issuerHost }) => ({
    title: "Your account",
    children: <SignIn issuerHost={issuerHost} />,
  }),
});

/** The address of the Model Context Protocol, and where the key goes. */
function Assistant({ place }: {
  /** What stands for the key. */
  readonly place: string;
}) {
  return (
    <>
      <CopiedLine label="Address for assistants (MCP)" text={`${useSite().baseUrl}/mcp`} />
      <p>
        Add this address to an assistant, with your key in the header{" "}
        <code>
          Authorization: Bearer <mark>{place}</mark>
        </code>{" "}
        (<a href="/docs/agents">how, for each assistant</a>).
      </p>
    </>
  );
}

/** Explains the purpose of an account, and leads to the identity provider. */
function SignIn({ issuerHost }: { readonly issuerHost: string }) {
  return (
    <>
      <p class="lede">
        Sign in to create API keys for{" "}
        <a href="/docs/proxy">the AI proxy</a>, and to see what they spend.
      </p>
      <p>
        {/* The whole address: the provider sends the browser back to this host, whose cookies it then needs. */}
        <a class="plain-button" href={`${useSite().baseUrl}/account/sign-in`} rel="nofollow">
          Sign in
        </a>
      </p>
      <p class="fine">
        You sign in at{" "}
        {issuerHost}, which tells this site your name and your id there, but no password. This site
        stores both. It stores neither your e-mail address nor your IP address.
      </p>
    </>
  );
}
