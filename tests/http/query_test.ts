/** Strict query strings against a naive reading of the same rules. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { PublicError } from "../../lib/http/errors.ts";
import { parseListQuery } from "../../lib/events/query.ts";
import { parseQuery } from "../../lib/http/query.ts";

const STATUSES = ["upcoming", "ongoing", "ended"];

/** The rules of the list's parameters, as plainly as they can be written; null is a refusal. */
function oracle(search: string) {
  const result = {
    statuses: null as string[] | null,
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
      if (result.statuses.length === 3) result.statuses = null;
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
  const name = fc.constantFrom(
    "status",
    "sort",
    "order",
    "limit",
    "statuses",
    "__proto__",
    "Limit",
  );
  const value = fc.oneof(
    fc.constantFrom(
      "upcoming",
      "ended,ongoing",
      "ended%2Cended",
      "startDate",
      "name",
      "asc",
      "desc",
    ),
    fc.constantFrom("1", "100", "101", "0", "-1", "1.0", "01", "", "%ff", "a+b", "Ended"),
    fc.string({ unit: "binary-ascii", maxLength: 5 }),
  );
  const search = fc.array(fc.tuple(name, value).map((pair) => pair.join("=")), { maxLength: 4 })
    .map((pairs) => `?${pairs.join("&")}`);
  fc.assert(
    fc.property(search, (search) => {
      const expected = oracle(search);
      try {
        const { statuses, ...rest } = parseListQuery(search);
        assert.deepEqual(
          {
            statuses: statuses && STATUSES.filter((each) => statuses.has(each as "ended")),
            ...rest,
          },
          expected,
        );
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

Deno.test("what is refused is named, on one line and not at length", () => {
  const refuse = (search: string): string => {
    try {
      parseQuery(search, {});
    } catch (error) {
      return (error as PublicError).message;
    }
    return "";
  };
  assert.equal(refuse("?a%0Ab=1"), 'There is no parameter "a\\nb".');
  assert.ok(refuse(`?${"x".repeat(1_000)}=1`).length < 120);
});
