/** `/usage`: a member pastes a key and sees its account's spending. */

import { ACCOUNT } from "../lib/platform/address.ts";
import OwnTimes from "../islands/OwnTimes.tsx";
import { answerDocument, uncachedResponse } from "../components/documents/documents.tsx";
import { Mistake, type WrongForm } from "../components/shared/fields.tsx";
import { Spending, Standing } from "../components/shared/Spending.tsx";
import { methods } from "../lib/operate/routes/methods.ts";
import type { Usage } from "../lib/proxy/usage.ts";
import { readForm, textOf } from "../lib/platform/http/form.ts";
import { errorInWords, PublicError } from "../lib/platform/http/errors.ts";

export const handler = methods({
  async GET(ctx) {
    const form = <UsageForm hasAccounts={ctx.state.services.signIn !== null} />;
    return await answerDocument(ctx, "usage", { form });
  },
  async POST(ctx) {
    const { req, state: { requestId, notes, services } } = ctx;
    const hasAccounts = services.signIn !== null;
    const key = textOf((await readForm(req)).get("key")).trim();
    // A header takes no other characters than those of addresses, and a key has none of the others.
    const headers = { authorization: `Bearer ${encodeURI(key.toWellFormed())}` };
    const request = new Request(`${services.config.BASE_URL}/proxy/v1/usage?days=30`, { headers });
    try {
      const response = await services.proxy.usage({ request, requestId, notes });
      const { data } = await response.json();
      // The proxy answers with its own type.
      const form = <UsageForm hasAccounts={hasAccounts} usage={data as Usage} />;
      return await uncachedResponse(ctx, "usage", { form });
    } catch (error) {
      if (!(error instanceof PublicError)) throw error;
      const message = errorInWords(error).replaceAll("`", "");
      const form = <UsageForm hasAccounts={hasAccounts} wrong={{ field: "key", message }} />;
      return await uncachedResponse(ctx, "usage", { form }, error);
    }
  },
});

/** The field for a key, and the usage of the account of the last one. */
function UsageForm({ hasAccounts, usage, wrong }: {
  readonly hasAccounts: boolean;
  readonly usage?: Usage;
  readonly wrong?: Pick<WrongForm, "field" | "message">;
}) {
  return (
    <section class="usage" aria-label="From your key">
      <form class="usage-form row" method="post" action="/usage">
        <label for="key">API key</label>
        <input
          id="key"
          name="key"
          type="password"
          autoComplete="current-password"
          spellcheck={false}
          required
          placeholder="foyer_…"
          {...wrong && { "aria-invalid": true, "aria-describedby": "key-mistake" }}
        />
        <button type="submit">Show</button>
        <Mistake name="key" wrong={wrong} />
      </form>
      {hasAccounts && usage === undefined && (
        <p class="fine">
          If you sign in here, <a href={ACCOUNT}>your account</a> shows this without a key.
        </p>
      )}
      {usage !== undefined && (
        <>
          <Standing usage={usage} />
          <OwnTimes />
          <Spending usage={usage} />
        </>
      )}
    </section>
  );
}
