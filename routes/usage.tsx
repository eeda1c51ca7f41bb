/** `/usage`: a member pastes a key and sees its account's spending. */

import { Head } from "fresh/runtime";
import UsageView from "../islands/UsageView.tsx";
import { methods } from "../lib/http/mod.ts";
import type { State } from "../lib/service/mod.ts";
import { answerDocument } from "./(_shared)/documents.tsx";
import { sheetStyle } from "./(_components)/sheets.tsx";

export const handler = methods<State>({
  async GET(ctx) {
    const form = (
      <>
        <Head>
          {sheetStyle("status")}
          {sheetStyle("usage")}
        </Head>
        <section class="usage" aria-label="From your key">
          <noscript>
            <p>
              The form needs JavaScript, which is off in this browser. The command below returns the
              same figures.
            </p>
          </noscript>
          <UsageView />
        </section>
      </>
    );
    return await answerDocument(ctx, "usage", { form });
  },
});
