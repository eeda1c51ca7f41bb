/** JSON schemas in words: types, rows of a table, notes on parameters. */

import assert from "node:assert/strict";
import { fieldsOf, parameterNotes, typeText } from "../../../lib/operate/reference/fields.ts";
import type { JsonSchema } from "../../../lib/operate/reference/schemas.ts";

const text = { type: "string" };
const event = { $ref: "#/components/schemas/Event" };

Deno.test("a type is in plain words, and a named body links to its section", () => {
  const table: [JsonSchema, string][] = [
    [text, "string"],
    [{}, "anything"],
    [event, "[Event](#event)"],
    [{ anyOf: [event, { type: "null" }] }, "[Event](#event) or null"],
    [{ anyOf: [text, { type: "integer" }, { const: "none" }] }, "string or integer or `none`"],
    [{ const: "list" }, "`list`"],
    [{ const: false }, "`false`"],
    [{ type: "string", enum: ["a", "b"] }, "`a`, `b`"],
    [{ type: ["string", "null"] }, "string or null"],
    [{ type: "string", format: "date" }, "string (date)"],
    [{ type: "array", items: event }, "array of [Event](#event)"],
    [{ type: "array", items: {} }, "array"],
    [{ type: "object" }, "object"],
    [{ type: "object", additionalProperties: true }, "object"],
    [{ type: "object", additionalProperties: {} }, "object"],
    [{ type: "object", additionalProperties: text }, "object, each value string"],
    [{ type: "integer", minimum: 0 }, "integer, 0 or more"],
    [{ type: "integer", minimum: 1, maximum: 9 }, "integer, 1 to 9"],
  ];
  for (const [schema, expected] of table) assert.equal(typeText(schema), expected);
});

Deno.test("each field is a row, an object's fields follow it, and a field that may be absent is optional", () => {
  const inner = { type: "object", properties: { b: text }, required: ["b"] };
  const schema = {
    properties: { a: { ...inner, description: "All of it." }, c: { ...text, description: "One." } },
    required: ["a"],
  };
  assert.deepEqual(fieldsOf(schema), [
    ["`a`", "object", "All of it."],
    ["`a.b`", "string", ""],
    ["`c`", "string", "Optional. One."],
  ]);
});

Deno.test("the notes on a parameter say its default, and that it is required", () => {
  const given = { name: "a", in: "query", description: "One.", schema: text } as const;
  const table = [
    [given, "One."],
    [{ ...given, schema: { ...text, default: 0 } }, "One. Default: `0`."],
    [{ ...given, required: true }, "One. Required."],
  ] as const;
  for (const [parameter, expected] of table) assert.equal(parameterNotes(parameter), expected);
});
