/** What the list and the feed can be asked (events contract, section 4). */

import assert from "node:assert/strict";
import fc from "fast-check";
import { PublicError } from "../../lib/http/errors.ts";
import { FEED_DEFAULTS, parseListQuery, parseRssQuery } from "../../lib/events/query.ts";

Deno.test("without parameters the list is all events, the latest first day at the top", () => {
  const everything = {
    statuses: null,
    sort: "startDate",
    order: "desc",
    limit: null,
    canonicalSearch: "",
  };
  for (const search of ["", "?", "?status=ended,ongoing,upcoming", "?sort=startDate&order=desc"]) {
    assert.deepEqual(parseListQuery(search), everything, search);
  }
});

Deno.test("each parameter says what it says", () => {
  assert.deepEqual(parseListQuery("?status=ended&status=ongoing&sort=name&order=asc&limit=3"), {
    statuses: new Set(["ended", "ongoing"]),
    sort: "name",
    order: "asc",
    limit: 3,
    canonicalSearch: "?status=ongoing,ended&sort=name&order=asc&limit=3",
  });
});

Deno.test("the feed takes a limit from 1 to 100 and nothing else", () => {
  const table = [
    ["", 20],
    ["?limit=1", 1],
    ["?limit=100", 100],
    ["?limit=0", "limit is a whole number from 1 to 100."],
    ["?limit=101", "limit is a whole number from 1 to 100."],
    ["?limit=5&limit=5", "Give limit once."],
    ["?status=ended", "The parameters are limit."],
    ["?sort=name", "The parameters are limit."],
  ] as const;
  for (const [search, expected] of table) {
    if (typeof expected !== "string") {
      assert.deepEqual(parseRssQuery(search), {
        ...FEED_DEFAULTS,
        limit: expected,
        canonicalSearch: expected === 20 ? "" : search,
      }, search);
      continue;
    }
    assert.throws(() => parseRssQuery(search), (error) => {
      assert.ok(error instanceof PublicError);
      assert.deepEqual([error.code, error.hint], ["bad_request", expected], search);
      return true;
    });
  }
});

Deno.test("questions have one text exactly if they ask the same", () => {
  const list = fc.record({
    status: fc.option(
      fc.uniqueArray(fc.constantFrom("upcoming", "ongoing", "ended"), { minLength: 1 }),
    ),
    sort: fc.option(fc.constantFrom("startDate", "announcedAt", "name")),
    order: fc.option(fc.constantFrom("asc", "desc")),
    limit: fc.option(fc.integer({ min: 1, max: 4 })),
  });
  type Asked = typeof list extends fc.Arbitrary<infer T> ? T : never;
  const meaning = ({ status, sort, order, limit }: Asked) =>
    JSON.stringify([
      (status ?? ["upcoming", "ongoing", "ended"]).toSorted(),
      sort ?? "startDate",
      order ?? "desc",
      limit,
    ]);
  const textOf = (asked: Asked) =>
    parseListQuery(
      Object.entries(asked).flatMap(([name, value]) => value === null ? [] : [`${name}=${value}`])
        .join("&"),
    ).canonicalSearch;
  fc.assert(
    fc.property(list, list, (one, two) => {
      assert.equal(textOf(one) === textOf(two), meaning(one) === meaning(two));
    }),
    { numRuns: 1_000 },
  );
});
