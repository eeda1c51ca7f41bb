/** The public errors. */

import assert from "node:assert/strict";
import { errorBody, toPublicError } from "../../../lib/platform/http/errors.ts";

const BASE_URL = "https://foyer.example";

Deno.test("a thrown value that is no public error is an internal error, whose details only the log has", () => {
  const thrown: unknown[] = [
    new Error("the secret inside"),
    new TypeError("the secret inside"),
    "the secret inside",
    { message: "the secret inside", status: 400, code: "bad_request" },
    null,
    undefined,
    42,
  ];
  for (const value of thrown) {
    const error = toPublicError(value);
    assert.deepEqual([error.code, error.status], ["internal_error", 500]);
    assert.equal(error.cause, value);
    assert.match(error.hint ?? "", /X-Request-Id/);
    assert.ok(!JSON.stringify(errorBody(error, BASE_URL)).includes("secret"));
  }
});
