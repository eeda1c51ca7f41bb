/** JSON schemas in words, as the tables of the reference have them. */

import assert from "node:assert/strict";
import { fieldsOf, parameterNotes, typeText } from "../../lib/reference/fields.ts";
import type { JsonSchema } from "../../lib/reference/schemas.ts";

Deno.test("the type of a value says what it may be", () => {
  const table: readonly (readonly [JsonSchema, string])[] = [
    [{ $ref: "#/components/schemas/ProxyError" }, "[ProxyError](#proxyerror)"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string or null"],
    [{ type: ["string", "null"] }, "string or null"],
    [{ type: "string", const: "list" }, "`list`"],
    [{ type: "string", enum: ["asc", "desc"] }, "`asc`, `desc`"],
    [{ type: "array", items: { type: "string" } }, "array of string"],
    [{ type: "array", items: {} }, "array"],
    [
      { type: "object", additionalProperties: { type: "number" } },
      "object, each value number",
    ],
    [{ type: "object", additionalProperties: {} }, "object"],
    [{ type: "object", additionalProperties: false }, "object"],
    [{}, "anything"],
    [{ type: "string", format: "date-time" }, "string (date-time)"],
    [{ type: "integer", minimum: 1, maximum: 100 }, "integer, 1 to 100"],
    [{ type: "integer", minimum: 0 }, "integer, 0 or more"],
  ];
  for (const [schema, words] of table) assert.equal(typeText(schema), words);
});

Deno.test("a field has a row, and so has each field in it, by its path", () => {
  const inner = { type: "object", properties: { at: { type: "string", description: "When." } } };
  const schema = { properties: { seen: inner, name: { type: "string" } }, required: ["name"] };
  assert.deepEqual(fieldsOf(schema), [
    ["`seen`", "object", "Optional. "],
    ["`seen.at`", "string", "Optional. When."],
    ["`name`", "string", ""],
  ]);
});

Deno.test("the notes on a parameter have its default, and whether it must be given", () => {
  const parameter = { name: "limit", in: "query", description: "How many.", schema: {} } as const;
  const schema = { type: "integer", default: 20 };
  assert.equal(parameterNotes(parameter), "How many.");
  assert.equal(parameterNotes({ ...parameter, schema }), "How many. Default: `20`.");
  assert.equal(parameterNotes({ ...parameter, required: true }), "How many. Required.");
});
