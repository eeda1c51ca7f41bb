/** `/usage`: a member pastes a key and sees its account's spending. */

import { Head } from "fresh/runtime";
import UsageView from "../islands/UsageView.tsx";
import { answerDocument } from "../components/documents/documents.tsx";
import { sheetStyle } from "../components/shared/sheets.tsx";
import { ACCOUNT } from "../lib/members/mod.ts";
import { methods } from "../lib/operate/mod.ts";

export const handler = methods({
  async GET(ctx) {
    const form = (
      <>
        <Head>{sheetStyle("usage")}</Head>
        <section class="usage" aria-label="From your key">
          <noscript>
            <p>
              The form needs JavaScript, which is off in this browser. The command below returns the
              same figures.
            </p>
          </noscript>
          <UsageView />
          {ctx.state.services.signIn !== null && (
            <p class="fine">
              If you sign in here, <a href={ACCOUNT}>your account</a> shows this without a key.
            </p>
          )}
        </section>
      </>
    );
    return await answerDocument(ctx, "usage", { form });
  },
});
