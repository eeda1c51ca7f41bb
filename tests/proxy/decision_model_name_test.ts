/** The model's name on its way up, in any body: only its bytes change. The door's tests have the table. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { toProvider } from "../../lib/proxy/decision_model_name.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function up(text: string, prefix = "jev"): string {
  return decoder.decode(toProvider(bytesOf(text), prefix));
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
