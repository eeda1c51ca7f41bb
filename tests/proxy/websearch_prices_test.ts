/** Upper estimates of web search requests, against the provider's price list. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { parseConfig } from "../../lib/config.ts";
import { formatUsd } from "../../lib/money.ts";
import { createWebsearchEndpoints } from "../../lib/proxy/websearch.ts";

const endpoints = createWebsearchEndpoints(parseConfig({}));
type Name = keyof typeof endpoints;
const NAMES: readonly Name[] = ["search", "findSimilar", "contents", "answer"];

function estimate(name: Name, body: Record<string, unknown>): bigint {
  return endpoints[name].estimate(body, 0);
}

function usd(name: Name, body: Record<string, unknown>): string {
  return formatUsd(estimate(name, body));
}

Deno.test("common requests are estimated at their list price", () => {
  const table: readonly (readonly [Name, Record<string, unknown>, string])[] = [
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
  for (const [name, body, price] of table) {
    assert.equal(usd(name, body), price, JSON.stringify(body));
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
function listPrice(name: Name, body: Accepted): number {
  const types = [body.text, body.highlights, body.summary].filter(Boolean).length;
  if (name === "answer") return 5;
  if (name === "contents") return body.urls.length * Math.max(1, types);
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
    fc.property(fc.constantFrom(...NAMES), body, (name, body) => {
      const { text, highlights, summary, ...rest } = body;
      const options = { text, highlights, summary };
      const sent = name === "contents" ? body : { ...rest, contents: options };
      const price = BigInt(listPrice(name, body)) * 1_000_000n;
      assert.ok(estimate(name, sent) >= price);
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
    fc.property(fc.constantFrom(...NAMES), body, (name, body) => {
      const price = estimate(name, body);
      assert.ok(price >= 0n && price <= 4_400_000_000n);
      assert.ok(name === "contents" || price >= 4_000_000n);
    }),
    { numRuns: 1_000 },
  );
});
