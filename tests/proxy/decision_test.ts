/** The estimates and the costs of decisions. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { parseConfig } from "../../lib/platform/config/config.ts";
import { createDecisionEndpoints } from "../../lib/proxy/decision.ts";
import { createDecisionStandIn } from "../../lib/sandbox/decision.ts";

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

Deno.test("the stand-in's charge for images of a few bytes is within the estimate", async () => {
  const provider = createDecisionStandIn({ apiKey: "key", now: () => 0 });
  const header = new Uint8Array(24);
  header.set([0x89, 0x50, 0x4e, 0x47]);
  new DataView(header.buffer).setUint32(16, 1_568);
  new DataView(header.buffer).setUint32(20, 1_568);
  const image = { type: "image", format: "png", data_base64: header.toBase64() };
  const body = {
    state: "ref0 ref1 ref2",
    questions: { is: { type: "noul", instructions: "Is it?" } },
    assets: { ref0: image, ref1: image, ref2: image },
  };
  const text = JSON.stringify(body);
  const response = await provider.fetch(
    new Request("http://decision.test/v1/systemone", {
      method: "POST",
      headers: {
        "authorization": "Bearer key",
        "x-request-id": "a",
        "typesafe-danger-zone-images": "true",
      },
      body: text,
    }),
  );
  assert.equal(response.status, 200);
  await response.body?.cancel();
  const charge = provider.charges.get("a") ?? 0n;
  assert.ok(charge > 3n * 6_272n * 42n);
  assert.ok(decision.estimate(body, text.length) >= charge);
  // The number of bytes alone is not an upper bound.
  assert.ok(decision.estimate({}, text.length) < charge);
});

Deno.test("more tokens than any body has are not a cost", () => {
  assert.equal(costOf(1_000_000_000n), 42_000_000_000n);
  assert.equal(costOf(1_000_000_001n), null);
});
