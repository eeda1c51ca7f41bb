/** `/account` for a visitor who is not signed in. */

import { AccountFrame } from "./AccountFrame.tsx";

/** Explains the purpose of an account, and leads to the identity provider. */
export function SignInPage(
  { issuerHost, baseUrl }: { readonly issuerHost: string; readonly baseUrl: string },
) {
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
