/** What decisions are estimated at, and what they cost. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { parseConfig } from "../../lib/config.ts";
import { createDecisionEndpoints } from "../../lib/proxy/decision.ts";

/** The endpoint at a price in nano-dollars per million input tokens. */
function decisionAt(price: bigint) {
  const config = { ...parseConfig({}), DECISION_PRICE_PER_MILLION_TOKENS: price };
  return createDecisionEndpoints(config).decision;
}

function estimate(bytes: number, price: bigint): bigint {
  return decisionAt(price).estimate({}, bytes);
}

/** The cost of an answer that says these input tokens. */
function costOf(inputTokens: bigint, price: bigint): bigint | null {
  const last = (path: readonly string[]) =>
    path.join(".") === "usage.input_tokens" ? String(inputTokens) : null;
  return decisionAt(price).provider.read(last).cost;
}

Deno.test("a decision is estimated at a token per byte, and the overhead", () => {
  assert.equal(estimate(0, 42_000_000n), 43_008n);
  assert.equal(estimate(1_000_000, 42_000_000n), 42_043_008n);
  assert.equal(estimate(1, 1n), 1n);
  fc.assert(
    fc.property(fc.nat(), fc.bigInt({ min: 0n, max: 10n ** 12n }), (bytes, price) => {
      assert.ok(estimate(bytes, price) >= (costOf(BigInt(bytes) + 1_024n, price) ?? Infinity));
    }),
  );
});

Deno.test("a decision costs its input tokens, rounded up to a whole nano-dollar", () => {
  assert.equal(costOf(0n, 42_000_000n), 0n);
  assert.equal(costOf(100n, 42_000_000n), 4_200n);
  assert.equal(costOf(1n, 1n), 1n);
  assert.equal(costOf(1_000_000n, 1n), 1n);
  assert.equal(costOf(1_000_001n, 1n), 2n);
});
