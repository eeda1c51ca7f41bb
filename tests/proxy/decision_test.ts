/** The estimates and the costs of decisions. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { parseConfig } from "../../lib/platform/config/config.ts";
import { createDecisionEndpoints } from "../../lib/proxy/decision.ts";

const { decision } = createDecisionEndpoints(parseConfig({}));

/** The cost of a response with these input tokens. */
function costOf(inputTokens: bigint): bigint | null {
  return decision.provider.read({ usage: { input_tokens: Number(inputTokens) } }).cost;
}

Deno.test("a decision is estimated at a token per byte, and the overhead", () => {
  assert.equal(decision.estimate({}, 0), 43_008n);
  assert.equal(decision.estimate({}, 1_000_000), 42_043_008n);
  fc.assert(fc.property(fc.nat({ max: 900_000_000 }), (bytes) => {
    assert.ok(decision.estimate({}, bytes) >= (costOf(BigInt(bytes) + 1_024n) ?? Infinity));
  }));
});

Deno.test("each image of a decision is estimated at the price of the largest one", () => {
  const image = { type: "image", format: "png", data_base64: "" };
  for (
    const [assets, images] of [[{ a: image }, 1n], [{ a: image, b: image, c: null }, 3n]] as const
  ) {
    assert.equal(decision.estimate({ assets }, 100), 42n * (1_124n + images * 6_272n));
  }
  for (const assets of [null, {}, "a", 7, undefined]) {
    assert.equal(decision.estimate({ assets }, 100), 42n * 1_124n);
  }
});

Deno.test("more tokens than any body has are not a cost", () => {
  assert.equal(costOf(1_000_000_000n), 42_000_000_000n);
  assert.equal(costOf(1_000_000_001n), null);
});
