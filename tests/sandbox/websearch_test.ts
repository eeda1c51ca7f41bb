import assert from "node:assert/strict";
import { createWebsearchStandIn } from "../../lib/sandbox/websearch.ts";
import { serve } from "./provider_stand_in.ts";

const TIDES = "https://sandbox.example/science/tides";
const BREAD = "https://sandbox.example/cooking/sourdough";

function setUp() {
  return serve(createWebsearchStandIn);
}

Deno.test("searches and contents cost the prices of the provider's list, to the digit", async (t) => {
  const one = { numResults: 1 };
  const cases: [path: string, body: Record<string, unknown>, totalUsd: string][] = [
    ["/search", one, "0.007"],
    ["/search", { ...one, contents: { text: true, highlights: true } }, "0.007"],
    ["/search", { ...one, type: "lite" }, "0.004"],
    ["/search", { ...one, type: "instant" }, "0.004"],
    ["/search", { ...one, type: "deep" }, "0.012"],
    ["/search", { ...one, type: "deep-reasoning" }, "0.015"],
    ["/search", { numResults: 13 }, "0.01"],
    ["/search", { numResults: 2, contents: { summary: true } }, "0.009"],
    ["/search", { ...one, contents: { summary: null } }, "0.007"],
    ["/search", { ...one, stream: true }, "0.007"],
    ["/findSimilar", { url: TIDES }, "0.007"],
    ["/contents", { urls: [TIDES] }, "0.001"],
    ["/contents", { ids: [TIDES, BREAD], text: true, summary: true }, "0.004"],
    ["/contents", { urls: ["https://sandbox.example/none"] }, "0"],
    ["/contents", { urls: [TIDES], subpages: 2 }, "0.003"],
    ["/search", { ...one, contents: { text: true, subpages: 2 } }, "0.009"],
    ["/search", { ...one, contents: { summary: true, subpages: 2 } }, "0.01"],
    ["/answer", { stream: false }, "0.005"],
    ["/answer", { stream: true }, "0.005"],
  ];
  await using served = setUp();
  for (const [path, body, totalUsd] of cases) {
    await t.step(`${path} ${JSON.stringify(body)}`, async () => {
      const headers = { "x-request-id": crypto.randomUUID() };
      const response = await served.ask(path, { query: "tides", ...body }, { headers });
      assert.ok((await response.text()).includes(`"costDollars":{"total":${totalUsd}`));
      const charged = served.standIn.charges.get(headers["x-request-id"]) ?? 0n;
      assert.equal(charged, BigInt(Math.round(Number(totalUsd) * 1e9)));
    });
  }
});

Deno.test("a request without an answer is refused in the flat layout, and costs nothing", async (t) => {
  await using served = setUp();
  const cases: [path: string, body: unknown, status: number, tag: string][] = [
    ["/search", {}, 400, "INVALID_REQUEST_BODY"],
    ["/search", { query: null }, 400, "INVALID_REQUEST_BODY"],
    ["/search", [], 400, "INVALID_REQUEST_BODY"],
    ["/search", { query: "a", numResults: 0 }, 400, "INVALID_NUM_RESULTS"],
    ["/search", { query: "a", numResults: 101 }, 400, "NUM_RESULTS_EXCEEDED"],
    ["/search", { query: "a", includeDomains: "b" }, 400, "INVALID_REQUEST"],
    ["/findSimilar", {}, 400, "INVALID_REQUEST_BODY"],
    ["/contents", {}, 400, "INVALID_REQUEST_BODY"],
    ["/contents", { urls: ["a"], ids: ["a"] }, 400, "INVALID_REQUEST_BODY"],
    ["/contents", { urls: [] }, 400, "INVALID_URLS"],
    ["/answer", { query: "" }, 400, "INVALID_REQUEST_BODY"],
    ["/findsimilar", { url: "a" }, 404, "NOT_FOUND"],
    ["/toString", {}, 404, "NOT_FOUND"],
  ];
  for (const [path, body, status, tag] of cases) {
    await t.step(`${path} ${JSON.stringify(body)}`, async () => {
      const response = await served.ask(path, body);
      assert.equal(response.status, status);
      const refusal = await response.json();
      assert.deepEqual(Object.keys(refusal), ["requestId", "error", "tag"]);
      assert.equal(refusal.tag, tag);
    });
  }
  assert.equal(served.standIn.charges.size, 0);
});
