/** `/account`: a member's own page, or the sign-in page for other visitors. */

import { readAccountView } from "../../lib/members/mod.ts";
import { AccountPage } from "../(_components)/account/AccountPage.tsx";
import { SignInPage } from "../(_components)/account/SignInPage.tsx";
import { answerMemberPage, requireAllowed, signInMethods } from "../(_shared)/members.tsx";

export const handler = signInMethods({
  async GET(ctx, signIn) {
    const { services } = ctx.state;
    const member = await signIn.findMember(ctx.req.headers);
    if (member === null) {
      return await answerMemberPage(
        ctx,
        <SignInPage issuerHost={signIn.issuerHost} baseUrl={services.config.BASE_URL} />,
      );
    }
    const view = await readAccountView(services, requireAllowed(member));
    return await answerMemberPage(ctx, <AccountPage view={view} />);
  },
});
