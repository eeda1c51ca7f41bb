/** Conditional requests (RFC 9110, section 13). */

import assert from "node:assert/strict";
import fc from "fast-check";
import { isNotModified } from "../../../lib/platform/http/representation.ts";

const lastModified = Date.parse("2026-11-20T10:00:00.500Z");
const validators = { etag: 'W/"abc"', lastModified };

const asked = (fields: Record<string, string>) => isNotModified(new Headers(fields), validators);

Deno.test("If-None-Match compares weakly, in lists, and by the wildcard", () => {
  const table = [
    ['"x"\t,\tW/"abc"', true],
    ["*", true],
    [" * ", true],
    ["abc", false],
    ['w/"abc', false],
    ["W/abc", false],
    ['"abc', false],
    ['"ABC"', false],
    ['"*"', false],
    ['W/"x"W/"abc"', true],
    [',,"abc",,', true],
    ["**", false],
    ["", false],
    [`"${"x".repeat(100_000)}"`, false],
    [`${'"x", '.repeat(20_000)}"abc"`, false],
    ['"'.repeat(100_000), false],
  ] as const;
  for (const [field, expected] of table) {
    assert.equal(asked({ "if-none-match": field }), expected, field.slice(0, 40));
  }
});

Deno.test("a list holds the tag exactly if one of its members is the tag, weak or not", () => {
  const opaque = fc.string({ unit: fc.constantFrom("a", "b", "c", ",", "/", "W") });
  const member = fc.tuple(fc.constantFrom("", "W/"), opaque);
  const separator = fc.constantFrom(",", ", ", " ,\t", ",,");
  fc.assert(
    fc.property(fc.array(member), separator, member, (members, separator, [weak, held]) => {
      const field = members.map(([weak, tag]) => `${weak}"${tag}"`).join(separator);
      assert.equal(
        isNotModified({ get: () => field }, { etag: `${weak}"${held}"` }),
        members.some(([, tag]) => tag === held),
        field,
      );
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("If-Modified-Since counts in whole seconds, and only without If-None-Match", () => {
  const table = [
    ["Fri, 20 Nov 2026 10:00:00 GMT", true],
    ["Fri, 20 Nov 2026 10:00:01 GMT", true],
    ["Fri, 20 Nov 2026 09:59:59 GMT", false],
    ["Thu, 01 Jan 1970 00:00:00 GMT", false],
    ["2026-11-20T10:00:01Z", false],
    ["yesterday", false],
    ["", false],
    ["GMT", false],
    ["Fri, 40 Nov 2026 10:00:00 GMT", false],
    ["9".repeat(100_000) + " GMT", false],
  ] as const;
  for (const [since, expected] of table) {
    assert.equal(asked({ "if-modified-since": since }), expected, since);
    assert.equal(asked({ "if-modified-since": since, "if-none-match": '"x"' }), false, since);
    assert.equal(asked({ "if-modified-since": since, "if-none-match": "*" }), true, since);
  }
  assert.equal(asked({}), false);
});
