/** Strict query strings against a naive reading of the same rules. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { PublicError } from "../../../lib/platform/http/errors.ts";
import { LIST_PARAMETERS, parseListQuery } from "../../../lib/events/query.ts";
import { parseQuery } from "../../../lib/platform/parameters.ts";

const STATUSES = ["upcoming", "ongoing", "ended"];
const SORTS = ["startDate", "announcedAt", "name"];

/** The rules of the list's parameters, as plainly as they can be written; null is a refusal. */
function oracle(search: string) {
  const result = {
    statuses: [] as string[],
    sort: "startDate",
    order: "desc",
    limit: null as number | null,
  };
  const seen = new Map<string, string[]>();
  for (const [typed, text] of new URLSearchParams(search)) {
    const [name, value] = [typed.toLowerCase(), text.trim().toLowerCase()];
    if (value !== "") seen.set(name, [...seen.get(name) ?? [], value]);
  }
  for (const [name, all] of seen) {
    const values = [...new Set(all)];
    const [value = ""] = values;
    if (name === "status") {
      const parts = values.join(",").split(/[,;|]/).filter((part) => part.trim() !== "");
      if (!parts.every((part) => STATUSES.includes(part))) return null;
      result.statuses = STATUSES.filter((status) => parts.includes(status));
      if (result.statuses.length === 3) result.statuses = [];
    } else if (values.length > 1) return null;
    else if (name === "sort" && SORTS.some((sort) => sort.toLowerCase() === value)) {
      result.sort = SORTS.find((sort) => sort.toLowerCase() === value) ?? "";
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
    ["?__proto__=1", '"__proto__"', known],
    ["?%ff=1", '"\ufffd"', known],
    ["?limit[a]=1", '"limit[a]"', known],
    ["?limit=1&limt=2", '"limt"', /did you mean limit\?$/],
    ["?status=ended, ongoin", '"ongoin"', /ended; did you mean ongoing\?$/],
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
      `?${"a".repeat(2_000)}=1`,
      `?${"a".repeat(100_000)}=1`,
      `?status=${"ended,".repeat(20_000)}`,
      "?" + "&".repeat(100_000),
      "?" + "%ff".repeat(40_000),
      `?sort=${"x".repeat(1_000)}`,
    ]
  ) assert.ok(refused(search).message.length < 120);
  assert.ok(refused("?a%0Ab=1", {}).message.includes('"a\\nb"'));
  const long = `?q=jam&place=${"x".repeat(199)}`.repeat(20);
  assert.match(refused(long).message, /too long/, "it would be the key of a cache");
  const longest = "x".repeat(100);
  assert.equal(parseListQuery(`?q=${longest}`).text, longest);
  assert.match(refused(`?q=${longest}x`).hint ?? "", /100/);
});

Deno.test("a spelling that can mean one thing only is understood, and trackers and cache breakers change nothing", () => {
  const table: readonly (readonly [string, string])[] = [
    ["?status=&limit=&sort=%20", ""],
    ["?limit=%2010&limit=10&", "?limit=10"],
    ["?LIMIT=10&%EF%BB%BForder=ASC", "?order=asc&limit=10"],
    ["?status=Upcoming,%20ONGOING,", "?status=upcoming,ongoing"],
    ["?status[]=upcoming&status[]=ongoing", "?status=upcoming,ongoing"],
    ["?status[0]=ended&status%5B1%5D=ended", "?status=ended"],
    ["?status=upcoming;ongoing&status=upcoming%7Congoing", "?status=upcoming,ongoing"],
    ["?status=ended&amp;limit=5", "?status=ended&limit=5"],
    ["?sort=announced_at&project-type=CAD", "?projectType=CAD&sort=announcedAt"],
    ["?pinned=True&format=In+Person", "?format=in-person&pinned=true"],
    ["?_=1732&1732&nocache=1&v=2&cb=x&_t=3&timestamp=4&=5", ""],
    ["?utm_source=x&UTM_Medium=y&fbclid=a&gclid=b&msclkid=c&mc_eid=d&_hsenc=e&igshid=f", ""],
    ["?mtm_campaign=x&fb_action_ids=y&ysclid=z&srsltid=1&_gl=2&ref=3&__hstc=4&dnt=1", ""],
  ];
  for (const [search, canonical] of table) {
    assert.equal(parseListQuery(search).canonicalSearch, canonical, search);
  }
  const instant = Date.parse("2026-11-21T11:00:00Z");
  for (const text of ["2026-11-21T12:00:00+01:00", "2026-11-21t12:00:00%2B01:00"]) {
    assert.equal(parseListQuery(`?changedSince=${text}`).changedSince, instant, text);
  }
});

Deno.test("feeds ignore unknown names and refuse wrong values, and pages ignore both", () => {
  const { limit, status } = LIST_PARAMETERS;
  const table = { limit, status };
  const search = "?limt=5&status=soon,ended&limit=0&limit=7&limit=8";
  assert.deepEqual(parseQuery(search, table, "nothing"), { status: ["ended"], limit: 8 });
  assert.deepEqual(parseQuery("?limt=5&limit=7", table, "values"), { limit: 7 });
  assert.deepEqual(parseQuery(`?${"a=1&".repeat(100_000)}`, table, "nothing"), {});
  for (const search of ["?limit=0", "?status=soon", "?limit=7&limit=8"]) {
    assert.throws(() => parseQuery(search, table, "values"), PublicError);
  }
});
