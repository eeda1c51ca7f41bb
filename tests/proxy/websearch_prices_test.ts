/** Upper estimates of web search requests, against the provider's price list. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { parseConfig } from "../../lib/platform/config/config.ts";
import { PublicError } from "../../lib/platform/http/errors.ts";
import { formatUsd } from "../../lib/platform/money.ts";
import { createWebsearchEndpoints } from "../../lib/proxy/websearch.ts";
import { createWebsearchStandIn } from "../../lib/sandbox/websearch.ts";

const endpoints = createWebsearchEndpoints(parseConfig({}));
type Name = keyof typeof endpoints;
const NAMES = Object.keys(endpoints) as Name[];

function estimate(name: Name, body: Record<string, unknown>): bigint {
  return endpoints[name].estimate(body, 0);
}

function usd(name: Name, body: Record<string, unknown>): string {
  return formatUsd(estimate(name, body));
}

Deno.test("common requests are estimated at their list price", () => {
  const table: readonly (readonly [Name, Record<string, unknown>, string])[] = [
    ["search", { query: "x", type: "auto", numResults: 10 }, "0.007"],
    ["search", { type: null, numResults: null, contents: null }, "0.007"],
    ["search", { type: "lite", numResults: 3 }, "0.004"],
    ["search", { type: "fast" }, "0.007"],
    ["search", { type: "instant" }, "0.007"],
    ["search", { type: "deep" }, "0.012"],
    ["search", { type: "deep-reasoning" }, "0.015"],
    ["search", { numResults: 25 }, "0.022"],
    ["search", { contents: { text: true, highlights: true } }, "0.007"],
    ["search", { contents: { summary: true } }, "0.017"],
    ["search", { numResults: 20, contents: { summary: { query: "y" } } }, "0.037"],
    ["search", { contents: { summary: false } }, "0.007"],
    ["search", { contents: false }, "0.007"],
    ["search", { numResults: 2, contents: { text: true, subpages: 3 } }, "0.013"],
    ["findSimilar", { url: "https://example.com" }, "0.007"],
    ["findSimilar", { url: "https://example.com", numResults: 12 }, "0.009"],
    ["contents", { urls: ["a"] }, "0.001"],
    ["contents", { urls: ["a", "b", "c"], text: true }, "0.003"],
    ["contents", { ids: ["a", "b"], text: true, highlights: {} }, "0.004"],
    ["contents", { urls: ["a"], text: false, highlights: null }, "0.001"],
    ["contents", { urls: ["a"], subpages: 4 }, "0.005"],
    ["contents", { urls: ["a"], summary: {} }, "0.002"],
    ["contents", { urls: [] }, "0"],
    ["contents", { urls: ["a"], text: true, extras: { links: 9 } }, "0.002"],
    ["search", { contents: { text: true, extras: { links: 9 } } }, "0.017"],
    ["search", { numResults: 0 }, "0.007"],
    // The provider may take 0 for its default, as it takes null.
    ["search", { numResults: 0, contents: { subpages: 100 } }, "1.007"],
    ["search", { numResults: null, contents: { subpages: 100 } }, "1.007"],
    ["search", { numResults: 0, contents: { summary: true } }, "0.017"],
    ["search", { type: "deep", additionalQueries: ["y", "z"] }, "0.036"],
    ["search", { contents: { subpages: 100 } }, "1.007"],
    ["search", { contents: { text: true }, subpages: 100 }, "1.007"],
    ["contents", { urls: ["a"], contents: { subpages: 100 } }, "0.101"],
    ["answer", { query: "x", stream: true, text: true }, "0.005"],
  ];
  for (const [name, body, price] of table) {
    assert.equal(usd(name, body), price, JSON.stringify(body));
  }
});

Deno.test("an undocumented option counts as the dearest documented one", () => {
  for (const type of ["deep-lite", "neural", "keyword", "Auto", "", 7, {}, "constructor"]) {
    assert.equal(usd("search", { type }), "0.015");
  }
  for (const summary of ["yes", 1, 0, "", [], {}]) {
    assert.equal(usd("search", { contents: { summary } }), "0.017");
  }
  assert.equal(usd("search", { contents: true }), "0.027");
});

/** The field for which a body is refused; null if it is accepted. */
function refusedField(name: Name, body: Record<string, unknown>): string | null {
  try {
    estimate(name, body);
    return null;
  } catch (error) {
    assert.ok(error instanceof PublicError && error.code === "validation_failed");
    return error.details.field ?? "";
  }
}

Deno.test("a count that is not a whole number, or a cost above five dollars, is refused by its name", () => {
  for (const count of ["5", -3, 2.5, NaN, [], {}, true, Infinity, -1e300]) {
    assert.equal(refusedField("search", { numResults: count }), "numResults");
    assert.equal(refusedField("contents", { urls: ["a"], subpages: count }), "subpages");
    assert.equal(
      refusedField("findSimilar", { contents: { subpages: count } }),
      "contents.subpages",
    );
  }
  for (const list of ["https://example.com", 3, {}, true]) {
    assert.equal(refusedField("contents", { urls: list }), "urls");
    assert.equal(refusedField("contents", { ids: list }), "ids");
    assert.equal(refusedField("search", { additionalQueries: list }), "additionalQueries");
  }
  for (const contents of ["text", 1, [{ subpages: 1_000 }]]) {
    assert.equal(refusedField("search", { contents }), "contents");
  }
  const dear: readonly (readonly [Name, Record<string, unknown>])[] = [
    ["search", { numResults: 5_004 }],
    ["search", { numResults: 1e300 }],
    ["search", { contents: { subpages: 1_000 } }],
    ["search", { additionalQueries: Array(1_000).fill("x") }],
    ["contents", { urls: Array(5_001).fill("a") }],
    ["contents", { urls: ["a"], subpages: Number.MAX_SAFE_INTEGER }],
  ];
  for (const [name, body] of dear) assert.equal(refusedField(name, body), "body");
  assert.equal(usd("search", { numResults: 5_003 }), "5");
  assert.equal(usd("contents", { urls: Array(5_000).fill("a") }), "5");
});

/** A body with counts in all their places, small or absurd; null stands for none. */
const count = fc.oneof(
  fc.constant(null),
  fc.nat({ max: 30 }),
  fc.nat({ max: 5_000 }),
  fc.constantFrom(1e9, 1e99),
);
const list = fc.oneof(fc.constant(null), fc.nat({ max: 40 }));
const counts = fc.record({
  numResults: count,
  subpages: count,
  inner: count,
  urls: list,
  ids: list,
  additionalQueries: list,
});
const asked = fc.constantFrom<unknown>(undefined, null, true, false, {}, { maxCharacters: 5 });
const options = fc.record({ text: asked, highlights: asked, summary: asked, extras: asked });
type Counts = Readonly<Record<"numResults" | "subpages" | "inner" | ListName, number | null>>;
type ListName = "urls" | "ids" | "additionalQueries";

function bodyOf({ inner, ...rest }: Counts, type: string, options: Record<string, unknown>) {
  const listOf = (name: ListName) => {
    const length = rest[name];
    return length === null ? null : Array<string>(length).fill("https://a.example");
  };
  return {
    query: "x",
    url: "https://a.example",
    type,
    ...rest,
    urls: listOf("urls"),
    ids: listOf("ids"),
    additionalQueries: listOf("additionalQueries"),
    ...options,
    contents: { ...options, subpages: inner },
  };
}

const type = fc.constantFrom("auto", "lite", "deep", "new");

Deno.test("an estimate falls with no count that grows, and grows with results, pages and subpages", () => {
  const field = fc.constantFrom(
    ...["numResults", "subpages", "inner", "urls", "ids", "additionalQueries"] as const,
  );
  const MORE = 20;
  fc.assert(
    fc.property(
      fc.constantFrom(...NAMES),
      counts,
      type,
      options,
      field,
      fc.integer({ min: 1, max: MORE }),
      (name, counts, type, options, field, more) => {
        // 0 may mean the default, and is priced as that.
        if (field === "numResults" && counts.numResults === 0) return;
        const grown = { ...counts, [field]: (counts[field] ?? 10) + more };
        const before = bodyOf(counts, type, options);
        const after = bodyOf(grown, type, options);
        if (refusedField(name, before) !== null) {
          assert.equal(refusedField(name, after), "body");
          return;
        }
        const low = estimate(name, before);
        assert.ok(low <= 5_000_000_000n);
        if (refusedField(name, after) !== null) return;
        assert.ok(estimate(name, after) >= low);
        const results = counts.numResults || 10;
        const isPriced = name === "search" || name === "findSimilar"
          ? field === "additionalQueries" || field === "numResults" && results >= 10 ||
            field === "inner" && (counts.inner ?? 0) >= (counts.subpages ?? 0)
          : name === "contents" && (field === "urls" || field === "ids");
        if (isPriced) assert.ok(estimate(name, after) > low, field);
      },
    ),
    { numRuns: 1_000 },
  );
});

Deno.test("the stand-in's charge is never more than the estimate, for any body", async () => {
  const provider = createWebsearchStandIn({ apiKey: "key", now: () => 0 });
  const pages = fc.array(
    fc.constantFrom("science/tides", "cooking/sourdough", "none").map((path) =>
      `https://sandbox.example/${path}`
    ),
    { minLength: 1, maxLength: 5 },
  );
  const odd = fc.constantFrom<unknown>("5", -1, 2.5, true, [], {}, 1e99);
  const number = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 100 }) },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: odd },
  );
  const member = fc.oneof(
    fc.tuple(fc.constant("numResults"), number),
    fc.tuple(fc.constant("subpages"), number),
    fc.tuple(fc.constantFrom("text", "highlights", "summary"), asked),
    fc.tuple(
      fc.constant("contents"),
      fc.record({
        text: asked,
        highlights: asked,
        summary: asked,
        subpages: number,
        numResults: number,
        contents: fc.record({ subpages: number }),
      }),
    ),
    fc.tuple(fc.constant("type"), fc.constantFrom("lite", "deep", "deep-lite", "neural", null)),
    fc.tuple(fc.constant("urls"), pages),
  );
  // Names may repeat, as they cannot in an object.
  const body = fc.array(member, { maxLength: 8 }).map((members) => {
    const known: [string, unknown][] = [["query", "tides"], ["url", "https://a.example"]];
    const texts = [...known, ...members]
      .flatMap(([name, value]) =>
        value === undefined ? [] : [`"${name}":${JSON.stringify(value)}`]
      );
    return `{${texts.join(",")}}`;
  });
  let charged = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...NAMES), body, async (name, body) => {
      const requestId = crypto.randomUUID();
      const response = await provider.fetch(
        new Request(`http://websearch.test/${name}`, {
          method: "POST",
          headers: { "x-api-key": "key", "x-request-id": requestId },
          body,
        }),
      );
      await response.body?.cancel();
      const price = provider.charges.get(requestId) ?? 0n;
      if (price > 0n) charged++;
      const parsed = JSON.parse(body);
      if (refusedField(name, parsed) === null) assert.ok(estimate(name, parsed) >= price, body);
    }),
    { numRuns: 400 },
  );
  assert.ok(charged > 100, `${charged} requests were charged`);
});
