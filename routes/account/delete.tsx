/** `/account/delete`: a member deletes the account, after a sign-in for that purpose. */

import { ACCOUNT } from "../../lib/platform/address.ts";
import { BOOK_DAYS } from "../../lib/proxy/ledger/retention.ts";
import { mayDelete } from "../../lib/members/sessions.ts";
import { DELETION } from "../../lib/members/sign_in.ts";
import { memberMethods } from "../../components/account/members.tsx";
import { ButtonForm } from "../../components/shared/fields.tsx";
import { doneAt, seeOther } from "../../components/shared/private.tsx";

export const handler = memberMethods({
  GET({ ctx: { state: { site, services } }, session }) {
    const signIn = `${site.baseUrl}/account/sign-in?for=delete`;
    return {
      title: "Delete your account",
      up: [ACCOUNT, "Your account"],
      children: (
        <>
          <Consequences />
          {mayDelete(session, services.now())
            ? <ButtonForm action={DELETION} label="Delete my account permanently" isDangerous />
            : (
              <p>
                <a class="plain-button danger" href={signIn} rel="nofollow">
                  Sign in again to continue
                </a>
              </p>
            )}
        </>
      ),
    };
  },
  async POST({ ctx, signIn, account, session }) {
    if (!mayDelete(session, ctx.state.services.now())) return seeOther(DELETION);
    const cookie = await signIn.deleteAccount({ account, session });
    return doneAt(ACCOUNT, signIn, "deleted", [cookie]);
  },
});

function Consequences() {
  return (
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
          such as a lower limit, is kept for {BOOK_DAYS}{" "}
          days under a digest of that id, and applies to it.
        </li>
      </ul>
    </div>
  );
}
