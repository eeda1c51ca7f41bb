/** `/docs/errors`: what each code means; every error's `documentation_url` leads here. */

import { Head } from "fresh/runtime";
import { ERROR_CODES, ERRORS } from "../../lib/http/errors.ts";
import { methods } from "../../lib/http/methods.ts";
import type { State } from "../../lib/state.ts";
import { page } from "fresh";

export const handler = methods<State>({ GET: () => page() });

export default function Errors() {
  return (
    <>
      <Head>
        <title>Errors · Foyer</title>
      </Head>
      <h1>Errors</h1>
      <p>
        Every error under <code>/api</code> is JSON with a stable <code>code</code>, a sentence in
        {" "}
        <code>message</code>, and often a <code>hint</code>. Each answer has an{" "}
        <code>X-Request-Id</code>: name it when you ask for help.
      </p>
      <dl>
        {ERROR_CODES.map((code) => (
          <div key={code} id={code}>
            <dt>
              <code>{code}</code> ({ERRORS[code].status})
            </dt>
            <dd>{ERRORS[code].meaning}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
