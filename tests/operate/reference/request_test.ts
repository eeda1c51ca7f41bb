/** The requests that the reference shows. */

import assert from "node:assert/strict";
import { curlCommand } from "../../../lib/operate/reference/request.ts";

Deno.test("the command names the key's variable and quotes the body for a shell", () => {
  const url = "https://foyer.example/x";
  assert.equal(curlCommand({ url, needsKey: false, body: null }), `curl "${url}"`);
  assert.equal(
    curlCommand({ url, needsKey: true, body: `{"a":"it's"}` }),
    `curl "${url}" \\\n  -H "Authorization: Bearer $FOYER_KEY" \\\n` +
      `  -H "Content-Type: application/json" \\\n  -d '{"a":"it'\\''s"}'`,
  );
});
