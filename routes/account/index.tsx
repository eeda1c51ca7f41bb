/** `/account`: a member's own page, or the sign-in page for other visitors; its form makes a key. */

import type { VNode } from "preact";
import { createOwnKey } from "../../lib/proxy/mod.ts";
import { endpointNames, readAccountView, readKeyForm } from "../../lib/members/mod.ts";
import { AccountFrame } from "../../components/shared/AccountFrame.tsx";
import { AccountPage } from "../../components/account/AccountPage.tsx";
import type { WrongForm } from "../../components/shared/fields.tsx";
import { CopiedLine, keySamples } from "../../components/documents/samples.tsx";
import { useSite } from "../../components/shared/site.tsx";
import {
  answerMemberPage,
  memberMethods,
  type MemberRequest,
  showNewKey,
} from "../../components/account/members.tsx";

export const handler = memberMethods({
  async GET(request) {
    return await answerMemberPage(request.ctx, request.signIn, await accountPage(request));
  },
  async POST({ ctx, signIn, account, fields }) {
    const { kv, config, now } = ctx.state.services;
    const newKey = readKeyForm(fields, account.id, endpointNames(config), now());
    return showNewKey(signIn, await createOwnKey(kv, newKey, now()));
  },
  again: accountPage,
  signedOut: ({ issuerHost }) => <SignInPage issuerHost={issuerHost} />,
});

async function accountPage(request: MemberRequest, wrong?: WrongForm): Promise<VNode> {
  const { ctx } = request;
  const view = await readAccountView(ctx.state.services, request);
  const [key] = view.liveKeys;
  const place = key === undefined ? "foyer_…" : `foyer_${key.id}_…`;
  const samples = (
    <>
      <CopiedLine label="Base address" text={`${ctx.state.site.baseUrl}/proxy/v1`} />
      {await keySamples(ctx, place, { isShort: true })}
      <Assistant place={place} />
    </>
  );
  return <AccountPage view={view} samples={samples} wrong={wrong} />;
}

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
function SignInPage({ issuerHost }: { readonly issuerHost: string }) {
  const { baseUrl } = useSite();
  return (
    <AccountFrame title="Sign in">
      <h1>Your account</h1>
      <p class="lede">
        Sign in to create API keys for{" "}
        <a href="/docs/proxy">the AI proxy</a>, and to see what they spend.
      </p>
      <p>
        {/* The whole address: the provider sends the browser back to this host, whose cookies it then needs. */}
        <a class="plain-button" href={`${baseUrl}/account/sign-in`} rel="nofollow">Sign in</a>
      </p>
      <p class="fine">
        You sign in at{" "}
        {issuerHost}, which tells this site your name and your id there, but no password. This site
        stores both. It stores neither your e-mail address nor your IP address.
      </p>
    </AccountFrame>
  );
}
