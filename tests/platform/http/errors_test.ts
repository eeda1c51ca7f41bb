/** The public errors. */

import assert from "node:assert/strict";
import {
  ERROR_CODES,
  errorBody,
  PublicError,
  toPublicError,
} from "../../../lib/platform/http/errors.ts";

const BASE_URL = "https://foyer.example";

const STATUSES = {
  bad_request: 400,
  unauthorized: 401,
  spending_limit_reached: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  request_timeout: 408,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  rate_limited: 429,
  too_many_open: 429,
  server_misconfigured: 500,
  internal_error: 500,
  upstream_error: 502,
  service_unavailable: 503,
  upstream_timeout: 504,
  upstream_overloaded: 529,
};

Deno.test("every code of the documents has its status, and there is no other code", () => {
  assert.deepEqual(
    Object.fromEntries(ERROR_CODES.map((code) => [code, new PublicError(code, "x").status])),
    STATUSES,
  );
});

Deno.test("a hint is in the body if there is one; the cause and the headers never are", () => {
  const error = new PublicError("upstream_error", "A sentence.", {
    hint: "Do this.",
    headers: { "retry-after": "5" },
    cause: new Error("the secret reason"),
  });
  const body = errorBody(error, BASE_URL);
  assert.equal(body.hint, "Do this.");
  assert.equal(error.headers["retry-after"], "5");
  assert.ok(!/secret|retry/.test(JSON.stringify(body)));
  assert.ok(!("hint" in errorBody(new PublicError("upstream_error", "A sentence."), BASE_URL)));
});

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
