/** `/account/delete`: a member deletes the account, after a sign-in for that purpose. */

import { ACCOUNT, DELETION, mayDelete } from "../../lib/members/mod.ts";
import { AccountFrame } from "../../components/shared/AccountFrame.tsx";
import { ButtonForm } from "../../components/shared/fields.tsx";
import { useSite } from "../../components/shared/site.tsx";
import {
  answerMemberPage,
  doneAt,
  memberMethods,
  seeOther,
} from "../../components/account/members.tsx";

export const handler = memberMethods({
  async GET({ ctx, signIn, session }) {
    const page = <DeletePage mayDelete={mayDelete(session, ctx.state.services.now())} />;
    return await answerMemberPage(ctx, signIn, page);
  },
  async POST({ ctx, signIn, account, session }) {
    if (!mayDelete(session, ctx.state.services.now())) return seeOther(DELETION);
    const cookie = await signIn.deleteAccount({ account, session });
    return doneAt(ACCOUNT, signIn, "deleted", [cookie]);
  },
});

/** Lists the data that is deleted. The last button is present only after a sign-in for that purpose. */
function DeletePage({ mayDelete }: { readonly mayDelete: boolean }) {
  const { baseUrl } = useSite();
  return (
    <AccountFrame title="Delete your account">
      <p class="fine">
        <a href="/account">Your account</a>
      </p>
      <h1>Delete your account</h1>
      <div class="verdict down">
        <p class="lede">This cannot be undone.</p>
        <ul>
          <li>All your keys stop working at once, and you are signed out everywhere.</li>
          <li>Your name, the names of your keys, and the id that you sign in with are removed.</li>
          <li>
            Your spending stays in the books, under the id of the account, which no longer refers to
            you.
          </li>
          <li>
            You can have a new account tomorrow. What the operator of this service has set for you,
            such as a lower limit, is kept for 400 days under a digest of that id, and applies to
            it.
          </li>
        </ul>
      </div>
      {mayDelete
        ? <ButtonForm action="/account/delete" label="Delete my account permanently" isDangerous />
        : (
          <p>
            <a
              class="plain-button danger"
              href={`${baseUrl}/account/sign-in?for=delete`}
              rel="nofollow"
            >
              Sign in again to continue
            </a>
          </p>
        )}
    </AccountFrame>
  );
}
