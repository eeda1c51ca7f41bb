/** The page of an error: the fault, and what to try. */

import { Operators } from "./site.tsx";
import { nothingHere, type PublicError } from "../../lib/platform/http/errors.ts";

/** The hint of a 404 for programs; people get links instead. */
const FOR_PROGRAMS = nothingHere().hint;

/** An error, with the id by which the operator finds it in the log. */
export function ErrorPage({ error, requestId, isOfMember, isRepeatable }: {
  readonly error: PublicError;
  readonly requestId: string;
  readonly isOfMember: boolean;
  /** Whether a link to the address repeats the request: it does not send a form again. */
  readonly isRepeatable: boolean;
}) {
  const { status, code, message, hint } = error;
  // The hint of a misconfigured service names the variables to set.
  const isPassing = isRepeatable &&
    (status === 429 || status >= 500 && code !== "server_misconfigured");
  return (
    <div class="error-page">
      <p class="error-number" aria-hidden="true">{status}</p>
      <h1>{message}</h1>
      {isPassing && <p class="lede">This should pass. Wait a moment, then try again.</p>}
      {hint && !isPassing && (
        <p class="lede">
          {hint !== FOR_PROGRAMS ? withLinks(hint) : (
            <>
              It may have moved, or the address may have a typo. All events are on{" "}
              <a href="/">the home page</a>, and <a href="/docs">the documents</a>{" "}
              explain how everything works.
            </>
          )}
        </p>
      )}
      <p>
        {isPassing
          // The address that failed, whatever it is.
          ? <a class="plain-button" href="">Try again</a>
          : isOfMember
          ? <a class="plain-button" href="/account">Go to your account</a>
          : <a class="plain-button" href="/">See what is on</a>}
      </p>
      <p class="fine">
        <a href={`/docs/errors#${code}`}>What {code} means</a>. If you ask <Operators />{" "}
        for help, give the request id <code>{requestId}</code>.
      </p>
    </div>
  );
}

function withLinks(hint: string) {
  return hint.split(/(\/events\/[^\s?]+)/).map((part, at) =>
    at % 2 === 0 ? part : <a key={at} href={part}>{part}</a>
  );
}
