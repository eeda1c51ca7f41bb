/** What a person sees instead of a page: what went wrong, and what to try. */

import type { PublicError } from "../../lib/http/errors.ts";

/** An error, with the id by which the operator finds it in the log. */
export function ErrorPage({ error, requestId }: { error: PublicError; requestId: string }) {
  return (
    <div class="lost">
      <p class="lost-number" aria-hidden="true">{error.status}</p>
      <h1>{error.message}</h1>
      {error.hint && <p class="lede">{error.hint}</p>}
      <p>
        <a class="plain-button" href="/">See what is on</a>
      </p>
      <p class="fine">
        <a href={`/docs/errors#${error.code}`}>What {error.code} means</a>. If you ask for help,
        name request <code>{requestId}</code>.
      </p>
    </div>
  );
}
