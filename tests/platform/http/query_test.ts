/** Strict query strings against a naive reading of the same rules. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { PublicError } from "../../../lib/platform/http/errors.ts";
import { LIST_PARAMETERS, parseListQuery } from "../../../lib/events/query.ts";
import { parseQuery } from "../../../lib/platform/http/url.ts";

const STATUSES = ["upcoming", "ongoing", "ended"];

/** The rules of the list's parameters, as plainly as they can be written; null is a refusal. */
function oracle(search: string) {
  const result = {
    statuses: [] as string[],
    sort: "startDate",
    order: "desc",
    limit: null as number | null,
  };
  const seen = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(search)) {
    seen.set(name, [...seen.get(name) ?? [], value]);
  }
  for (const [name, values] of seen) {
    const [value = ""] = values;
    if (name === "status") {
      const parts = values.join(",").split(",");
      if (!parts.every((part) => STATUSES.includes(part))) return null;
      result.statuses = STATUSES.filter((status) => parts.includes(status));
      if (result.statuses.length === 3) result.statuses = [];
    } else if (values.length > 1) return null;
    else if (name === "sort" && ["startDate", "announcedAt", "name"].includes(value)) {
      result.sort = value;
    } else if (name === "order" && ["asc", "desc"].includes(value)) result.order = value;
    else if (
      name === "limit" && Array.from({ length: 100 }, (_, at) => String(at + 1)).includes(value)
    ) {
      result.limit = Number(value);
    } else return null;
  }
  return result;
}

Deno.test("the list's query is read as the naive oracle reads it", () => {
  const names = "status sort order limit statuses __proto__ Limit l%69mit".split(" ");
  const name = fc.constantFrom(...names);
  const value = fc.oneof(
    fc.constantFrom("upcoming", "ended,ongoing", "ended%2Cended", "startDate", "name"),
    fc.constantFrom("asc", "desc"),
    fc.constantFrom("1", "100", "101", "0", "-1", "1.0", "1e1", "01", "", "%ff", "a+b", "Ended"),
    fc.string({ unit: "binary-ascii", maxLength: 5 }),
  );
  const search = fc.array(fc.tuple(name, value).map((pair) => pair.join("=")), { maxLength: 4 })
    .map((pairs) => `?${pairs.join("&")}`);
  fc.assert(
    fc.property(search, (search) => {
      const expected = oracle(search);
      try {
        const { statuses, sort, order, limit } = parseListQuery(search);
        assert.deepEqual({ statuses, sort, order, limit }, expected);
      } catch (error) {
        assert.ok(error instanceof PublicError, String(error));
        assert.equal(error.code, "bad_request");
        assert.ok(error.hint);
        assert.equal(expected, null, search);
      }
    }),
    { numRuns: 2_000 },
  );
});

/** The error for an invalid query string. */
function refused(search: string, parameters: Parameters<typeof parseQuery>[1] = LIST_PARAMETERS) {
  try {
    parseQuery(search, parameters);
  } catch (error) {
    assert.ok(error instanceof PublicError, String(error));
    assert.deepEqual([error.code, error.status], ["bad_request", 400]);
    return { message: error.message, hint: error.hint };
  }
  throw new Error(`understood: ${search}`);
}

Deno.test("a refusal quotes the name or the value on one line, and says what is known, and what is nearest", () => {
  const known = /status, sort, order, limit\b/;
  const table = [
    ["?=1", '""', known],
    ["?__proto__=1", '"__proto__"', known],
    ["?limit%20=5", '"limit "', /did you mean limit\?$/],
    ["?%ff=1", '"\ufffd"', known],
    ["?limit[]=1", '"limit[]"', known],
    ["?limit=1&limt=2", '"limt"', /did you mean limit\?$/],
    ["?status=ended, ongoing", '" ongoing"', /ended; did you mean ongoing\?$/],
    ["?status=past", '"past"', /^status is one of upcoming, ongoing, ended\.$/],
    ["?sort=__proto__", '"__proto__"', /^sort is one of startDate, announcedAt, name\.$/],
    [
      "?order=%00%C2%85%E2%80%AE%EF%BF%BE",
      '"\\u0000\\u{85}\\u{202e}\\u{fffe}"',
      /^order is one of asc, desc\.$/,
    ],
    ["?limit=%D9%A3", '"٣"', /^limit is a whole number from 1 to 100\.$/],
  ] as const;
  for (const [search, quoted, expected] of table) {
    const { message, hint } = refused(search);
    assert.ok(message.includes(quoted), message);
    assert.match(hint ?? "", expected, search);
  }
  assert.doesNotMatch(refused("?a=1", {}).hint ?? "", /status|\?/);
});

Deno.test("a long query is refused in a short sentence, which quotes a value on one line", () => {
  for (
    const search of [
      `?${"a".repeat(100_000)}=1`,
      `?status=${"ended,".repeat(20_000)}`,
      "?" + "&".repeat(100_000),
      "?" + "%ff".repeat(40_000),
      `?${"x".repeat(1_000)}=1`,
      `?sort=${"x".repeat(1_000)}`,
    ]
  ) assert.ok(refused(search).message.length < 120);
  assert.ok(refused("?a%0Ab=1", {}).message.includes('"a\\nb"'));
  const longest = "x".repeat(100);
  assert.equal(parseListQuery(`?q=${longest}`).text, longest);
  assert.match(refused(`?q=${longest}x`).hint ?? "", /100/);
});
