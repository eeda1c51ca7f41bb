/** Upper estimates against the providers' price lists, and the costs of answers. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { formatUsd } from "../../lib/money.ts";
import {
  decisionCost,
  estimateDecision,
  estimateWebsearch,
  type WebsearchEndpoint,
} from "../../lib/proxy/prices.ts";

const ENDPOINTS: readonly WebsearchEndpoint[] = ["search", "findSimilar", "contents", "answer"];

function usd(endpoint: WebsearchEndpoint, body: Record<string, unknown>): string {
  return formatUsd(estimateWebsearch(endpoint, body));
}

Deno.test("common requests are estimated at their list price", () => {
  const table: readonly (readonly [WebsearchEndpoint, Record<string, unknown>, string])[] = [
    ["search", { query: "x" }, "0.007"],
    ["search", { query: "x", type: "auto", numResults: 10 }, "0.007"],
    ["search", { type: null, numResults: null, contents: null }, "0.007"],
    ["search", { type: "lite", numResults: 3 }, "0.004"],
    ["search", { type: "fast" }, "0.007"],
    ["search", { type: "instant" }, "0.007"],
    ["search", { type: "deep" }, "0.012"],
    ["search", { type: "deep-reasoning" }, "0.015"],
    ["search", { numResults: 25 }, "0.022"],
    ["search", { numResults: 100 }, "0.097"],
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
    ["answer", { query: "x", stream: true, text: true }, "0.005"],
  ];
  for (const [endpoint, body, price] of table) {
    assert.equal(usd(endpoint, body), price, JSON.stringify(body));
  }
});

Deno.test("what is not documented counts as the dearest that is", () => {
  for (const type of ["deep-lite", "neural", "keyword", "Auto", "", 7, {}, "constructor"]) {
    assert.equal(usd("search", { type }), "0.015");
  }
  for (const numResults of ["5", 0, -3, 2.5, NaN, [], 1e9, Infinity]) {
    assert.equal(usd("search", { numResults }), "0.097");
  }
  for (const summary of ["yes", 1, 0, "", [], {}]) {
    assert.equal(usd("search", { contents: { summary } }), "0.017");
  }
  assert.equal(usd("search", { contents: true }), "0.017");
  assert.equal(usd("contents", { urls: "https://example.com" }), "0.1");
  assert.equal(usd("contents", { urls: ["a"], subpages: "many" }), "0.011");
});

Deno.test("a silly request reserves no more than the ceilings", () => {
  const silly = {
    type: "x",
    numResults: 1e9,
    subpages: 1e9,
    urls: Array(100_000).fill("a"),
    ids: 1,
    text: 1,
    highlights: 1,
    summary: 1,
    contents: { text: 1, highlights: 1, summary: 1, subpages: 1e9 },
  };
  assert.equal(usd("search", { numResults: 1e9 }), usd("search", { numResults: 100 }));
  // 0.015, 90 further results, 100 summaries, and 1,000 subpages in three types and a summary.
  assert.equal(usd("search", silly), "4.205");
  assert.equal(usd("contents", silly), "4.4");
  assert.equal(usd("answer", silly), "0.005");
});

/** The price list once more, naively, for requests that the provider accepts; thousandths of a USD. */
function listPrice(endpoint: WebsearchEndpoint, body: Accepted): number {
  const types = [body.text, body.highlights, body.summary].filter(Boolean).length;
  if (endpoint === "answer") return 5;
  if (endpoint === "contents") return body.urls.length * Math.max(1, types);
  const base = { lite: 4, deep: 12, "deep-reasoning": 15, "deep-lite": 15 }[body.type ?? ""] ?? 7;
  const results = body.numResults ?? 10;
  return base + Math.max(0, results - 10) + (body.summary ? results : 0);
}

interface Accepted {
  readonly type?: string;
  readonly numResults?: number;
  readonly urls: readonly string[];
  readonly text: boolean;
  readonly highlights: boolean;
  readonly summary: boolean;
}

Deno.test("no request that the provider accepts costs more than its estimate", () => {
  const types = ["auto", "fast", "instant", "lite", "deep-lite", "deep", "deep-reasoning", "new"];
  const body = fc.record({
    type: fc.constantFrom(...types),
    numResults: fc.integer({ min: 1, max: 100 }),
    urls: fc.integer({ min: 1, max: 100 }).map((count) =>
      Array<string>(count).fill("https://a.example")
    ),
    text: fc.boolean(),
    highlights: fc.boolean(),
    summary: fc.boolean(),
  }, { requiredKeys: ["urls", "text", "highlights", "summary"] });
  fc.assert(
    fc.property(fc.constantFrom(...ENDPOINTS), body, (endpoint, body) => {
      const { text, highlights, summary, ...rest } = body;
      const options = { text, highlights, summary };
      const sent = endpoint === "contents" ? body : { ...rest, contents: options };
      const price = BigInt(listPrice(endpoint, body)) * 1_000_000n;
      assert.ok(estimateWebsearch(endpoint, sent) >= price);
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("any body has an estimate within the ceilings", () => {
  const names = ["type", "numResults", "contents", "urls", "ids", "subpages", "text", "summary"];
  const odd = fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    7,
    -1,
    1e99,
    "",
    "lite",
    [],
    ["a"],
    {},
  );
  const value = fc.oneof(odd, fc.dictionary(fc.constantFrom(...names), odd));
  const body = fc.dictionary(fc.constantFrom(...names), value);
  fc.assert(
    fc.property(fc.constantFrom(...ENDPOINTS), body, (endpoint, body) => {
      const estimate = estimateWebsearch(endpoint, body);
      assert.ok(estimate >= 0n && estimate <= 4_400_000_000n);
      assert.ok(endpoint === "contents" || estimate >= 4_000_000n);
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("a decision is estimated at a token per byte, and the overhead", () => {
  assert.equal(estimateDecision(0, 42_000_000n), 43_008n);
  assert.equal(estimateDecision(1_000_000, 42_000_000n), 42_043_008n);
  assert.equal(estimateDecision(1, 1n), 1n);
  fc.assert(
    fc.property(fc.nat(), fc.bigInt({ min: 0n, max: 10n ** 12n }), (bytes, price) => {
      assert.ok(estimateDecision(bytes, price) >= decisionCost(BigInt(bytes) + 1_024n, price));
    }),
  );
});

Deno.test("a decision costs its input tokens, rounded up to a whole nano-dollar", () => {
  assert.equal(decisionCost(0n, 42_000_000n), 0n);
  assert.equal(decisionCost(100n, 42_000_000n), 4_200n);
  assert.equal(decisionCost(1n, 1n), 1n);
  assert.equal(decisionCost(1_000_000n, 1n), 1n);
  assert.equal(decisionCost(1_000_001n, 1n), 2n);
});
