/** The caller's body: which ones are accepted, and why others are refused. */

import assert from "node:assert/strict";
import { PublicError } from "../../lib/platform/http/errors.ts";
import type { JsonObject } from "../../lib/platform/json.ts";
import { parseRequestJson } from "../../lib/proxy/request_json.ts";

function parse(text: string): JsonObject {
  return parseRequestJson(new TextEncoder().encode(text));
}

function refusalOf(body: string | Uint8Array<ArrayBuffer>): PublicError {
  try {
    if (typeof body === "string") parse(body);
    else parseRequestJson(body);
  } catch (error) {
    assert.ok(error instanceof PublicError);
    // A validation error states the requirement.
    assert.ok(error.code === "validation_failed" || (error.hint ?? "").length > 10);
    return error;
  }
  assert.fail(`${body} was not refused`);
}

Deno.test("a body that is not JSON in UTF-8 is 400 with the reason", () => {
  const table: readonly (readonly [body: string | Uint8Array<ArrayBuffer>, message: string])[] = [
    ["", "The body is empty."],
    ["\ufeff{}", "The body starts with a byte order mark."],
    [new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), "The body is not valid UTF-8."],
    [new Uint8Array([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d]), "The body is not valid UTF-8."],
    [new Uint8Array([0xff, 0xfe, 0x7b, 0x00]), "The body is not valid UTF-8."],
  ];
  for (const [body, message] of table) {
    const { status, code, message: said } = refusalOf(body);
    assert.deepEqual([status, code, said], [400, "bad_request", message]);
  }
});

Deno.test("at most 256 levels are read", () => {
  const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
  assert.ok(Object.hasOwn(parse(nested(256)), "a"));
  for (const body of [nested(257), "[".repeat(1_000_000), `{"a\\"b":${nested(300)}}`]) {
    const { code, details: { hint } } = refusalOf(body);
    assert.equal(code, "bad_request");
    assert.ok(hint?.includes("256"), hint);
  }
  for (const text of ["[{".repeat(300), `\\"${"[".repeat(300)}`, `\\\\","b":"${"[".repeat(300)}`]) {
    assert.ok(Object.hasOwn(parse(`{"a":"${text}"}`), "a"), text);
  }
});

Deno.test("a text that is not JSON is refused with the kind of the mistake, and its place if the engine names it", () => {
  const table: readonly (readonly [body: string, fault: string])[] = [
    [" ", ": Unexpected end."],
    ['{"a":1,}', ": Expected double-quoted property name at line 1, column 8."],
    ["{'a':1}", ": Expected property name or '}' at line 1, column 2."],
    ['{\n"a" 1}', ": Expected ':' after property name at line 2, column 5."],
    ['{"a":1 "b":2}', ": Expected ',' or '}' after property value at line 1, column 8."],
    ['{"a":NaN}', ": Unexpected token 'N'."],
    ['{"a":[1,]}', ": Unexpected token ']'."],
    ['{"a":é}', "."],
    ["{}{}", ": Unexpected non-whitespace character after JSON at line 1, column 3."],
  ];
  for (const [body, fault] of table) {
    assert.equal(refusalOf(body).message, `The body is not valid JSON${fault}`);
  }
});

Deno.test("no sentence repeats the caller's text", () => {
  const bodies = [
    ...["SECRET-TOKEN", '{"a":SECRET}', '{"a":"SECRET', "{SECRET:1}", '"SECRET"', '["SECRET" 1]'],
    "x SECRET in JSON at position 1 (line 1 column 1)",
  ];
  for (const body of bodies) {
    const { message } = refusalOf(body);
    assert.ok(!message.includes("SECRET"), message);
  }
});
