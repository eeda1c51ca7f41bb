/** `/account`: a member's own page, or the sign-in page for other visitors. */

import { readAccountView } from "../../lib/members/mod.ts";
import { AccountFrame } from "../../components/account/AccountFrame.tsx";
import { AccountPage } from "../../components/account/AccountPage.tsx";
import { useSite } from "../../components/shared/site.tsx";
import {
  answerMemberPage,
  findMember,
  requireAllowed,
  signInMethods,
} from "../../components/account/members.tsx";

export const handler = signInMethods({
  async GET(ctx, signIn) {
    const member = await findMember(ctx, signIn);
    if (member === null) {
      return await answerMemberPage(ctx, <SignInPage issuerHost={signIn.issuerHost} />);
    }
    const view = await readAccountView(ctx.state.services, requireAllowed(member));
    return await answerMemberPage(ctx, <AccountPage view={view} />);
  },
});

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
