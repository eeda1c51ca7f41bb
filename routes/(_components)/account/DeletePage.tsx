/** The page on which a member deletes the account. */

import { AccountFrame, ButtonForm } from "./AccountFrame.tsx";

/** Lists the data that is deleted. The last button is present only after a fresh sign-in. */
export function DeletePage({ isFresh, baseUrl }: {
  readonly isFresh: boolean;
  readonly baseUrl: string;
}) {
  return (
    <AccountFrame title="Delete your account">
      <p class="fine">
        <a href="/account">Your account</a>
      </p>
      <h1>Delete your account</h1>
      <ul>
        <li>All your keys stop working at once, and you are signed out everywhere.</li>
        <li>Your name, the names of your keys, and the id that you sign in with are removed.</li>
        <li>
          Your spending stays in the books, under the id of the account, which no longer refers to
          you.
        </li>
        <li>You can have a new account tomorrow.</li>
      </ul>
      {isFresh ? <ButtonForm action="/account/delete" label="Delete my account permanently" /> : (
        <p>
          <a class="plain-button" href={`${baseUrl}/account/sign-in?for=delete`} rel="nofollow">
            Sign in again to continue
          </a>
        </p>
      )}
    </AccountFrame>
  );
}
