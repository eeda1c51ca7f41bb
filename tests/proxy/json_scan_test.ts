/** The JSON scanner against documents whose every offset is known, and against JSON.parse. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { type JsonMatch, JsonScanner } from "../../lib/proxy/json_scan.ts";
import { heldBytes } from "../support/held_bytes.ts";

const encoder = new TextEncoder();
const COST = ["costDollars", "total"];

function scan(
  text: string,
  paths: readonly (readonly string[])[],
  sizes: readonly number[] = [Infinity],
  keep?: number,
): JsonScanner {
  const scanner = new JsonScanner(paths, keep);
  const bytes = encoder.encode(text);
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    // A copy, overwritten afterwards: the scanner may not need a chunk later.
    const chunk = bytes.slice(at, at + size);
    scanner.push(chunk);
    chunk.fill(0x22);
    at += size;
  }
  return scanner;
}

function texts(text: string, path: readonly string[], sizes?: readonly number[]): string[] {
  return scan(text, [path], sizes).matches(path).map((match) => match.text);
}

/** The notation of a JSON value: names may repeat, and every token has its own spelling. */
type Tree =
  | { readonly kind: "scalar"; readonly raw: string }
  | { readonly kind: "array"; readonly items: readonly Tree[]; readonly space: string }
  | { readonly kind: "object"; readonly members: readonly Member[]; readonly space: string };
type Member = readonly [name: string, raw: string, value: Tree];

const NAMES = [
  "a",
  "b",
  "",
  "model",
  "costDollars",
  "total",
  "__proto__",
  '"',
  "\\",
  'a":1,"b',
  "é",
];
const word = fc.array(
  fc.constantFrom(...NAMES, "{", "}", "[", "]", ":", ",", "😀", "\n", "\ufeff", "x".repeat(30)),
  { maxLength: 8 },
).map((parts) => parts.join(""));
const space = fc.constantFrom("", "", " ", "\r\n\t ");

function spell(text: string, style: string): string {
  const plain = JSON.stringify(text);
  if (style === "plain") return plain;
  if (style === "slashes") return plain.replaceAll("/", "\\/");
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("")}"`;
}

const style = fc.constantFrom("plain", "slashes", "unicode");
const scalar = fc.oneof(
  fc.tuple(word, style).map(([text, style]) => spell(text, style)),
  fc.constantFrom("true", "false", "null", "0", "-1.5e+3", "0.007", "1E400"),
).map((raw): Tree => ({ kind: "scalar", raw }));

const { object } = fc.letrec<{ object: Tree; value: Tree }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    scalar,
    fc.tuple(fc.array(tie("value"), { maxLength: 4 }), space)
      .map(([items, space]): Tree => ({ kind: "array", items, space })),
    tie("object"),
  ),
  object: fc.tuple(
    fc.array(
      fc.tuple(fc.oneof(fc.constantFrom(...NAMES), word), style, tie("value"))
        .map(([name, style, value]): Member => [name, spell(name, style), value]),
      { maxLength: 5 },
    ),
    space,
  ).map(([members, space]): Tree => ({ kind: "object", members, space })),
}));

function write(tree: Tree): string {
  if (tree.kind === "scalar") return tree.raw;
  const { space } = tree;
  const parts = tree.kind === "array"
    ? tree.items.map(write)
    : tree.members.map(([, raw, value]) => `${raw}${space}:${space}${write(value)}`);
  const [open, close] = tree.kind === "array" ? "[]" : "{}";
  return `${open}${space}${parts.join(`${space},${space}`)}${space}${close}`;
}

/** The naive result: walks the tree and counts bytes; a member replaces earlier ones of its name. */
function find(tree: Tree, path: readonly string[], start: number): JsonMatch[] {
  if (path.length === 0) {
    const text = tree.kind === "scalar" ? tree.raw : tree.kind === "array" ? "[" : "{";
    return [{ text, start, end: start + encoder.encode(text).length }];
  }
  if (tree.kind !== "object") return [];
  const found: JsonMatch[] = [];
  const gap = tree.space.length;
  let at = start + 1 + gap;
  for (const [name, raw, value] of tree.members) {
    at += encoder.encode(raw).length + gap + 1 + gap;
    if (name === path[0]) {
      if (path.length > 1) found.length = 0;
      found.push(...find(value, path.slice(1), at));
    }
    at += encoder.encode(write(value)).length + gap + 1 + gap;
  }
  return found;
}

/** Every value at a path, replaced ones included. */
function everywhere(tree: Tree, path: readonly string[], start: number): JsonMatch[] {
  const [first, ...rest] = path;
  if (first === undefined || tree.kind !== "object") return find(tree, path, start);
  const gap = tree.space.length;
  let at = start + 1 + gap;
  return tree.members.flatMap(([name, raw, value]) => {
    at += encoder.encode(raw).length + gap + 1 + gap;
    const found = name === first ? everywhere(value, rest, at) : [];
    at += encoder.encode(write(value)).length + gap + 1 + gap;
    return found;
  });
}

function depthOf(tree: Tree): number {
  if (tree.kind === "scalar") return 0;
  const parts = tree.kind === "array" ? tree.items : tree.members.map(([, , value]) => value);
  return 1 + Math.max(0, ...parts.map(depthOf));
}

const paths = fc.array(
  fc.array(fc.constantFrom(...NAMES), { maxLength: 3 }),
  { minLength: 1, maxLength: 4 },
);
const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(60)), {
  minLength: 1,
  maxLength: 5,
});

Deno.test("every value at a path is found with its bytes, however the text is written and split", () => {
  fc.assert(
    fc.property(object, paths, sizes, space, (tree, paths, sizes, space) => {
      const text = space + write(tree) + space;
      const result = scan(text, paths, sizes);
      for (const path of paths) {
        const expected = find(tree, path, space.length)
          .map((each) => ({ ...each, text: cut(each.text) }));
        assert.deepEqual(result.matches(path), expected, path.join("."));
      }
      assert.equal(result.isWhole, true);
      assert.equal(result.depth, depthOf(tree));
    }),
    { numRuns: 800 },
  );
});

function cut(text: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(encoder.encode(text).slice(0, 512));
}

Deno.test("a text that is cut anywhere is not whole, and gives no torn value", () => {
  fc.assert(
    fc.property(object, paths, fc.nat(), (tree, paths, nat) => {
      const text = write(tree);
      const bytes = encoder.encode(text);
      const scanner = new JsonScanner(paths);
      scanner.push(bytes.subarray(0, nat % bytes.length));
      assert.equal(scanner.isWhole, false);
      for (const path of paths) {
        const whole = everywhere(tree, path, 0);
        for (const { text, start, end } of scanner.matches(path)) {
          assert.ok(whole.some((each) => each.start === start && each.end === end), text);
        }
      }
    }),
    { numRuns: 400 },
  );
});

Deno.test("the last scalar at a path is JSON.parse's", () => {
  // V8 15.0 misreads a name of one escaped character after others: {"a":1,"\\/":1} gets "\\".
  const key = fc.oneof(fc.constantFrom(...NAMES), fc.string({ unit: "grapheme", maxLength: 12 }))
    .filter((name) => name.length !== 1 || JSON.stringify(name).length === 3);
  const json = fc.object({
    key,
    values: [fc.string({ unit: "grapheme" }), fc.double(), fc.boolean(), fc.constant(null)],
    maxDepth: 4,
  });
  fc.assert(
    fc.property(json, sizes, fc.constantFrom(undefined, 2), (value, sizes, indent) => {
      const text = JSON.stringify(value, null, indent);
      const parsed: Record<string, unknown> = JSON.parse(text);
      const paths = pathsOf(parsed);
      const result = scan(text, paths, sizes);
      for (const path of paths) {
        const [match, ...more] = result.matches(path);
        assert.deepEqual(JSON.parse(match?.text ?? ""), path.reduce(member, parsed));
        assert.equal(more.length, 0);
      }
    }),
    { numRuns: 400 },
  );
});

Deno.test("the last of several equal names is read at any level, as by JSON.parse", () => {
  const name = fc.constantFrom("costDollars", "total", "__proto__", "results");
  const total = fc.constantFrom(
    "0.007",
    "0",
    "-5",
    "1e9",
    "null",
    '"9"',
    "[1]",
    "{}",
    '{"total":3}',
  );
  const leaf = fc.tuple(fc.constantFrom("total", "total", "other"), style, total)
    .map(([name, style, raw]) => `${spell(name, style)}:${raw}`);
  const inner = fc.oneof(
    total,
    fc.array(leaf, { maxLength: 4 }).map((all) => `{${all.join(" , ")}}`),
  );
  const document = fc.array(
    fc.tuple(name, style, inner).map(([name, style, raw]) => `${spell(name, style)} : ${raw}`),
    { maxLength: 6 },
  ).map((all) => `{${all.join(",")}}`);
  fc.assert(
    fc.property(document, sizes, fc.constantFrom("", "\ufeff"), (text, sizes, mark) => {
      const read = COST.reduce(member, JSON.parse(text));
      const found = scan(mark + text, [COST], sizes);
      const match = found.matches(COST).at(-1)?.text;
      const isContainer = match === "{" || match === "[";
      const value = isContainer ? match : match === undefined ? undefined : JSON.parse(match);
      const expected = Array.isArray(read) ? "[" : isRecord(read) ? "{" : read;
      assert.deepEqual(value, expected, text);
      assert.equal(found.isWhole, true);
    }),
    { numRuns: 1_000 },
  );
});

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** An own member of an object; an array's indices are not names. */
function member(value: unknown, name: string): unknown {
  return isRecord(value) ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}

/** The path of every scalar that is not an item of an array. */
function pathsOf(value: unknown): string[][] {
  if (typeof value !== "object" || value === null) return [[]];
  if (Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    pathsOf(each).map((path) => [name, ...path])
  );
}

Deno.test("only the exact path matches, with any content elsewhere", () => {
  const hostile = [
    '{"output":{"content":{"costDollars":{"total":9}}}}',
    '{"results":[{"costDollars":{"total":9}},{"total":9}],"total":9}',
    '{"costDollars":[{"total":9}]}',
    '{"costDollars":{"neural":{"total":9}}}',
    '{"text":"\\"costDollars\\":{\\"total\\":9}"}',
    '{"text":"\\\\","x":"\\\\\\",\\"costDollars\\":{\\"total\\":9}"}',
    '{"costDollars.total":9}',
    '{"costDollars":"{\\"total\\":9}"}',
    '[{"costDollars":{"total":9}}]',
    '"costDollars"',
    '{"\ufeffcostDollars":{"total":9},"costDollars ":{"total":9}}',
  ];
  for (const text of hostile) {
    for (const size of [1, 2, 3, 7, 1_000]) assert.deepEqual(texts(text, COST, [size]), [], text);
  }
});

Deno.test("names match as decoded, not as written", () => {
  for (const name of ['"model"', '"\\u006dodel"', '"\\u006D\\u006f\\u0064\\u0065\\u006C"']) {
    assert.deepEqual(texts(`{${name}:"x"}`, ["model"], [1]), ['"x"']);
  }
  assert.deepEqual(texts('{"a\\/b":1,"a/b":2}', ["a/b"]), ["1", "2"]);
  assert.deepEqual(texts('{"__proto__":1,"constructor":2}', ["constructor"]), ["2"]);
  const long = "\u{1f600}".repeat(42);
  assert.deepEqual(texts(`{${spell(long, "unicode")}:1}`, [long], [5]), ["1"]);
  assert.throws(() => new JsonScanner([["x".repeat(85)]]), RangeError);
});

Deno.test("a quote counts as the end of a string only after an even number of backslashes", () => {
  for (let run = 0; run < 70; run++) {
    const text = JSON.stringify({ a: "\\".repeat(run) + '"', costDollars: { total: 1 } });
    for (const size of [1, 2, 3, 5, 24, 25, 26, 1_000]) {
      assert.deepEqual(texts(text, COST, [size]), ["1"], `${run} backslashes by ${size}`);
    }
  }
});

Deno.test("a value is returned as written, not as a number", () => {
  assert.deepEqual(texts('{"n":\ufeff1,"n":+2 ,"n":0x3\n}', ["n"]), ["\ufeff1", "+2", "0x3"]);
});

Deno.test("every occurrence is given, the last of them where there are too many", () => {
  const text = `{${Array.from({ length: 100 }, (_, at) => `"n":${at}`).join(",")}}`;
  assert.deepEqual(texts(text, ["n"]).length, 64);
  assert.deepEqual(texts(text, ["n"]).at(0), "36");
  assert.deepEqual(texts(text, ["n"]).at(-1), "99");
  assert.equal(scan(text, [["n"]], [7], Infinity).matches(["n"]).length, 100);
});

Deno.test("an object or array at a path is noted by its bracket", () => {
  const text = '{"a":{"b":1},"a":[2],"a":{},"a":3}';
  const result = scan(text, [["a"], ["a", "b"]], [2]);
  assert.deepEqual(result.matches(["a"]).map(({ text }) => text), ["{", "[", "{", "3"]);
  assert.deepEqual(result.matches(["a", "b"]), []);
});

Deno.test("at most 512 bytes of a value are kept, and its end is still known", () => {
  const text = JSON.stringify({ model: "x".repeat(5_000) });
  for (const size of [1, 100, 511, 512, 513, 10_000]) {
    const [match] = scan(text, [["model"]], [size]).matches(["model"]);
    assert.deepEqual(match, { text: `"${"x".repeat(511)}`, start: 9, end: 9 + 5_002 });
  }
});

Deno.test("only one object with nothing but white space around it is whole", () => {
  const whole = [
    "{}",
    " {} ",
    "\ufeff{}",
    "\ufeff {}",
    '\r\n\t{"a":[1,{"b":2}]}\n',
    '{"costDollars":{"total":1}}',
  ];
  const not = [
    "",
    " ",
    "{",
    "[]",
    "[{}]",
    "1",
    '"{}"',
    "{}x",
    "{}{}",
    "{},",
    "}",
    "\ufeff\ufeff{}",
    " \ufeff{}",
  ];
  const broken = ['{"a":1', '{"a":"}', '{"a":[1}', '{"a" 1}', "{1:2}", '{"a":1;"b":2}', '{"a":]}'];
  const glued = ['{"a":1:2}', '{"a":1[2]}', '{"a":1]}', '{"a":1{}}', '{"a":"x""y"}', '{"a":,}'];
  for (const size of [1, 100]) {
    for (const text of whole) assert.equal(scan(text, [COST], [size]).isWhole, true, text);
    for (const text of [...not, ...broken, ...glued]) {
      assert.equal(scan(text, [["a"]], [size]).isWhole, false, text);
    }
  }
});

Deno.test("a path that the scanner was not given is refused", () => {
  assert.throws(() => new JsonScanner([COST]).matches(["total"]), RangeError);
});

Deno.test("a string of any length takes no memory", () => {
  const scanner = new JsonScanner([COST]);
  const chunk = encoder.encode("x".repeat(1 << 20));
  scanner.push(encoder.encode('{"a":"'));
  const before = heldBytes();
  for (let turn = 0; turn < 64; turn++) scanner.push(chunk);
  const grown = heldBytes() - before;
  scanner.push(encoder.encode('","costDollars":{"total":3}}'));
  assert.ok(grown < 10_000_000, `${grown} bytes more`);
  assert.deepEqual(scanner.matches(COST).map(({ text }) => text), ["3"]);
});
