/** The caller's body: which ones are accepted, and the position of the fault in others. */

import assert from "node:assert/strict";
import fc from "fast-check";
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

Deno.test("an object is read unchanged", () => {
  assert.deepEqual(parse(' {"a":[1,"ü",null,{"b":true}]}\n'), { a: [1, "ü", null, { b: true }] });
  assert.deepEqual(parse("{}"), {});
  assert.deepEqual(parse('{"a":"\\ud800"}'), { a: "\ud800" });
});

Deno.test("the last of several members with the same name counts", () => {
  assert.deepEqual(parse('{"model":"a","model":"b"}'), { model: "b" });
});

Deno.test("a member `__proto__` is a member, and changes no prototype", () => {
  const object = parse('{"__proto__":{"state":"x"},"constructor":1}');
  assert.deepEqual(Object.keys(object), ["__proto__", "constructor"]);
  assert.equal(object["state"], undefined);
});

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

Deno.test("a JSON body that is not an object is 422", () => {
  const table: readonly (readonly [body: string, kind: string])[] = [
    ["[]", "an array"],
    ["null", "null"],
    ['"{}"', "a string"],
    ["12", "a number"],
    ["true", "a boolean"],
  ];
  for (const [body, kind] of table) {
    const { status, code, message, details } = refusalOf(body);
    assert.deepEqual([status, code], [422, "validation_failed"]);
    assert.ok(message.includes(kind), message);
    assert.equal(details.field, "body");
  }
});

Deno.test("at most 256 levels are read, even with other faults", () => {
  const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
  assert.ok(Object.hasOwn(parse(nested(256)), "a"));
  for (const body of [nested(257), "[".repeat(1_000_000)]) {
    const { code, details: { hint } } = refusalOf(body);
    assert.equal(code, "bad_request");
    assert.ok(hint?.includes("256"), hint);
  }
  assert.ok(Object.hasOwn(parse(`{"a":"${"[{".repeat(300)}"}`), "a"));
});

Deno.test("a text that is not JSON is refused with the place and the kind of the mistake", () => {
  const table: readonly (readonly [body: string, fault: string])[] = [
    [" ", "expected a value, got the end at line 1, column 2"],
    ["{", 'expected a name in double quotes or "}", got the end at line 1, column 2'],
    ['{"a":1,}', 'expected a name in double quotes, got "}" at line 1, column 8'],
    ['{"a":[1,]}', 'expected a value, got "]" at line 1, column 9'],
    ["{'a':1}", 'expected a name in double quotes or "}", got "\'" at line 1, column 2'],
    ["{a:1}", 'expected a name in double quotes or "}", got "a" at line 1, column 2'],
    ['{"a" 1}', 'expected a colon, got "1" at line 1, column 6'],
    ['{"a":1 "b":2}', 'expected a comma or "}", got a quote at line 1, column 8'],
    ['{"a":[1 2]}', 'expected a comma or "]", got "2" at line 1, column 9'],
    ['{"a":[1}', 'expected a comma or "]", got "}" at line 1, column 8'],
    ['{"a":[', 'expected a value or "]", got the end at line 1, column 7'],
    ['{"a":01}', 'expected a comma or "}", got "1" at line 1, column 7'],
    ['{"a":1.}', 'expected a comma or "}", got "." at line 1, column 7'],
    ['{"a":.5}', 'expected a value, got "." at line 1, column 6'],
    ['{"a":-}', 'expected a value, got "-" at line 1, column 6'],
    ['{"a":NaN}', 'expected a value, got "N" at line 1, column 6'],
    ['{"a":nul}', 'expected a value, got "n" at line 1, column 6'],
    ["{}{}", 'expected the end, got "{" at line 1, column 3'],
    ["1,", 'expected the end, got "," at line 1, column 2'],
    ["}", 'expected a value, got "}" at line 1, column 1'],
    ['{"a":"b', "a string is not closed at line 1, column 6"],
    ['{"a":"b\nc"}', "a string holds an unescaped U+000A at line 1, column 8"],
    ['{"a":"\\x"}', "a string holds an unknown escape at line 1, column 7"],
    ['{"a":"\\u12g4"}', "a string holds an unknown escape at line 1, column 7"],
    ['{\n"ü😀":1,\r\n"b":é}', 'expected a value, got "é" at line 3, column 5'],
    ['{\r"😀":😀}', 'expected a value, got "😀" at line 2, column 5'],
    ["{\u00a0}", 'expected a name in double quotes or "}", got U+00A0 at line 1, column 2'],
    [" \ufeff{}", "expected a value, got U+FEFF at line 1, column 2"],
  ];
  for (const [body, fault] of table) {
    assert.ok(refusalOf(body).message.includes(fault), fault);
  }
});

Deno.test("the place of a fault is right: all before it could still become JSON", () => {
  const mark = fc.constantFrom(...'{}[]",:\\/ ax01.-e\n\t', "true", "null", "\\u00", "é");
  fc.assert(
    fc.property(
      fc.object({ maxKeys: 3, maxDepth: 3 }),
      fc.nat(),
      mark,
      fc.boolean(),
      (value, nat, mark, isReplaced) => {
        const good = JSON.stringify(value);
        const at = nat % good.length;
        const text = good.slice(0, at) + mark + good.slice(at + (isReplaced ? 1 : 0));
        if (isJson(text)) return;
        const { message } = refusalOf(text);
        assert.ok(message.length < 120, message);
        const before = textBefore(text, message);
        if (before.trim() === "" || isJson(before)) return;
        assert.match(refusalOf(before).message, /got the end|is not closed/);
      },
    ),
    { numRuns: 1_000 },
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The text before the position that the message names. */
function textBefore(text: string, message: string): string {
  const [, line = "", column = ""] = / at line (\d+), column (\d+)\.$/.exec(message) ?? [];
  const lines = text.split("\n").slice(0, Number(line));
  const last = [...lines.pop() ?? ""].slice(0, Number(column) - 1).join("");
  return [...lines, last].join("\n");
}

Deno.test("no sentence repeats the caller's text", () => {
  for (const body of ["SECRET-TOKEN", '{"a":SECRET}', '{"a":"SECRET', "{SECRET:1}", '"SECRET"']) {
    assert.ok(!refusalOf(body).message.includes("SECRET"));
  }
});

Deno.test("a fault is looked for in the first 64 KiB of a large body, whatever fills it", () => {
  const near = refusalOf(`{${"\n".repeat(60_000)}x${" ".repeat(1_000_000)}`);
  assert.match(near.message, /got "x" at line 60001, column 1\.$/);
  const far = /^The body is not valid JSON: its fault is after the first 65536 characters\.$/;
  const fillings = [
    "\n",
    '"a":1,',
    '"\\n":"\\u0041 \\n",',
    `"a":"${"\\n".repeat(500)}",`,
    '"a":[{}],',
  ];
  for (const filling of fillings) {
    assert.match(refusalOf(`{${filling.repeat(Math.ceil(1e6 / filling.length))}x`).message, far);
  }
  assert.match(refusalOf(`{"a":"${"\\n x".repeat(500_000)}"`).message, far);
});
