/** `/keys/leaked`: the finder of a key pastes it here, which revokes it. */

import { reportLeak } from "../../lib/accounts/leaked.ts";
import { PublicError } from "../../lib/platform/http/errors.ts";
import { readForm, textOf } from "../../lib/platform/http/form.ts";
import { readShortBody } from "../../lib/platform/http/body.ts";
import { isObject, parseJson } from "../../lib/platform/json.ts";
import { answerDocument } from "../../components/documents/documents.tsx";
import { methods } from "../../lib/operate/routes/methods.ts";

const AFTERWARDS = "/keys/leaked#what-happens";
const MAX_BODY_BYTES = 4096;

export const handler = methods({
  async GET(ctx) {
    const form = (
      <section class="usage" aria-label="Report a leaked key">
        <form class="usage-form row" method="post" action="/keys/leaked">
          <label for="leaked-key">The whole key</label>
          <input
            id="leaked-key"
            type="text"
            name="key"
            required
            autocomplete="off"
            spellcheck={false}
          />
          <button type="submit">Revoke it</button>
        </form>
      </section>
    );
    return await answerDocument(ctx, "leaked", { form });
  },
  async POST({ req, state: { services } }) {
    const isJson = /^application\/json\b/i.test(req.headers.get("content-type") ?? "");
    const text = isJson ? await readKey(req) : textOf((await readForm(req)).get("key"));
    await reportLeak(text.trim(), services);
    // The response is the same for every text.
    const headers = { "cache-control": "no-store" };
    if (isJson) return Response.json({ data: { received: true } }, { headers });
    return new Response(null, { status: 303, headers: { ...headers, location: AFTERWARDS } });
  },
});

/** The `key` of a JSON body. @throws {PublicError} 400, 408, 413. */
async function readKey(request: Request): Promise<string> {
  const bytes = await readShortBody(request, MAX_BODY_BYTES);
  const body = parseJson(new TextDecoder().decode(bytes));
  if (isObject(body) && typeof body["key"] === "string") return body["key"];
  throw new PublicError("bad_request", "The body must be a JSON object with a text in `key`.", {
    hint: 'Send {"key": "<the whole key>"}, or a form with the field key.',
  });
}
