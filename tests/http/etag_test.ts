/** Conditional requests (RFC 9110, section 13). */

import assert from "node:assert/strict";
import fc from "fast-check";
import { isNotModified } from "../../lib/http/etag.ts";

const lastModified = Date.parse("2026-11-20T10:00:00.500Z");
const validators = { etag: 'W/"abc"', lastModified };

const asked = (fields: Record<string, string>) => isNotModified(new Headers(fields), validators);

Deno.test("If-None-Match compares weakly, in lists, and by the wildcard", () => {
  const table = [
    ['W/"abc"', true],
    ['"abc"', true],
    ['"x", "abc"', true],
    ['"x"\t,\tW/"abc"', true],
    ['"a,b", "abc"', true],
    ["*", true],
    [" * ", true],
    ['"abcd"', false],
    ['"x,abc"', false],
    ["abc", false],
    ['w/"abc', false],
    ["", false],
    [`"${"x".repeat(100_000)}"`, false],
  ] as const;
  for (const [field, expected] of table) {
    assert.equal(asked({ "if-none-match": field }), expected, field.slice(0, 40));
  }
});

Deno.test("If-Modified-Since counts in whole seconds, and only without If-None-Match", () => {
  const table = [
    ["Fri, 20 Nov 2026 10:00:00 GMT", true],
    ["Fri, 20 Nov 2026 10:00:01 GMT", true],
    ["Fri, 20 Nov 2026 09:59:59 GMT", false],
    ["2026-11-20T10:00:01Z", false],
    ["yesterday", false],
  ] as const;
  for (const [since, expected] of table) {
    assert.equal(asked({ "if-modified-since": since }), expected, since);
    assert.equal(asked({ "if-modified-since": since, "if-none-match": '"x"' }), false, since);
  }
  assert.equal(asked({}), false);
});

Deno.test("no field throws, and a random one does not match", () => {
  fc.assert(fc.property(fc.string({ unit: "binary-ascii" }), (field) => {
    if (field.trim() === "*" || field.includes('"abc"')) return;
    assert.equal(isNotModified({ get: () => field }, { etag: 'W/"abc"' }), false);
  }));
});
