/** The estimates and the costs of decisions, and the model's name on its way up. The proxy's tests have its table. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { parseConfig } from "../../lib/platform/config/config.ts";
import { createDecisionEndpoints } from "../../lib/proxy/decision.ts";
import { toProvider } from "../../lib/proxy/internal/decision_model_name.ts";

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

function up(text: string, prefix = "jev"): string {
  const sent = toProvider(new TextEncoder().encode(text), prefix);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(sent);
}

const json = fc.jsonValue({ maxDepth: 2 });

/** A member's text, and the text that must replace it. */
const member = fc.oneof(
  fc.constantFrom('"model"', '"mode\\u006c"').chain((name) =>
    fc.oneof(
      fc.string({ unit: "grapheme" }).map((version) => [
        `${name}:${JSON.stringify(`decision-${version}`)}`,
        `${name}:${JSON.stringify(`jev-${version}`)}`,
      ]),
      fc.constant([`${name}: null `, `${name}: "jev-latest" `]),
      json.filter((value) =>
        value !== null && !(typeof value === "string" && value.startsWith("decision-"))
      )
        .map((value) => [`${name}:${JSON.stringify(value)}`, `${name}:${JSON.stringify(value)}`]),
    )
  ),
  fc.tuple(
    fc.oneof(fc.constantFrom("models", "a", "\ufeffmodel"), fc.string()),
    fc.oneof(json, fc.constant({ model: "decision-latest" })),
  ).filter(([name]) => name !== "model").map(([name, value]) => {
    const text = `\n${JSON.stringify(name)} : ${JSON.stringify(value)}`;
    return [text, text];
  }),
);

Deno.test("all bytes outside the model's value arrive as they were sent", () => {
  fc.assert(
    fc.property(fc.array(member, { minLength: 1, maxLength: 6 }), (members) => {
      const request = ` {${members.map(([text]) => text).join(",")}} `;
      const sent = members.map(([, text]) => text).join(",");
      const hasModel = members.some(([text]) => /^"mode(l|\\u006c)"/.test(text ?? ""));
      const first = '"model":"jev-latest",';
      assert.equal(up(request), ` {${hasModel ? "" : first}${sent}} `);
    }),
    { numRuns: 500 },
  );
  assert.equal(up('{"a":1}', 'a"b'), '{"model":"a\\"b-latest","a":1}');
});
