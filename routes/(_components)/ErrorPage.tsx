/** What a person sees instead of a page: what went wrong, and what to try. */

import type { PublicError } from "../../lib/http/errors.ts";

/** An error, with the id by which the operator finds it in the log. */
export function ErrorPage({ error, requestId }: { error: PublicError; requestId: string }) {
  return (
    <>
      <h1>{error.message}</h1>
      {error.hint && <p>{error.hint}</p>}
      <p>
        <a href={`/docs/errors#${error.code}`}>What {error.code} means</a>, or{" "}
        <a href="/">back to what is on</a>.
      </p>
      <p class="fine">
        Request <code>{requestId}</code>
      </p>
    </>
  );
}
