/** The event stream scanner against a naive reading of the WHATWG rules. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { SseScanner } from "../../lib/proxy/sse_scan.ts";
import { heldBytes } from "../support/held_bytes.ts";

const encoder = new TextEncoder();
const COST = ["costDollars", "total"];
const TOKENS = ["usage", "input_tokens"];

/** A scanner that keeps the last number which any event had at each path. */
function watch() {
  const numbers = new Map<readonly string[], string>();
  const scanner = new SseScanner([COST, TOKENS], (last) => {
    for (const path of [COST, TOKENS]) {
      const text = last(path);
      if (text !== null && /^[\d-]/.test(text)) numbers.set(path, text);
    }
  });
  return {
    push: (chunk: Uint8Array) => scanner.push(chunk),
    end: () => scanner.end(),
    last: (path: readonly string[]) => numbers.get(path) ?? null,
  };
}

function last(text: string, path: readonly string[] = COST, sizes = [Infinity]): string | null {
  const scanner = watch();
  const bytes = encoder.encode(text);
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    const chunk = bytes.slice(at, at + size);
    scanner.push(chunk);
    chunk.fill(0x0a);
    at += size;
  }
  scanner.end();
  return scanner.last(path);
}

/** The data of every event, including the last one, even without a blank line after it. */
function dataOf(stream: string): string[] {
  const events: string[][] = [[]];
  for (const line of stream.replace(/^\ufeff/, "").split(/\r\n|\r|\n/)) {
    const field = /^data(?:: ?(?<value>[^]*))?$/.exec(line);
    if (line === "") events.push([]);
    else if (field !== null) events.at(-1)?.push(field.groups?.["value"] ?? "");
  }
  return events.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
}

interface Chunk {
  readonly costDollars?: { readonly total?: unknown };
}

/** The last number among whole events, by JSON.parse. */
function lastCost(stream: string): string | null {
  const totals = dataOf(stream).map((text): unknown => {
    try {
      const event: Chunk | null = JSON.parse(text);
      return event?.costDollars?.total;
    } catch {
      return undefined;
    }
  });
  const number = totals.findLast((total) => typeof total === "number");
  return number === undefined ? null : JSON.stringify(number);
}

const total = fc.oneof(fc.double({ min: 0, noNaN: true }), fc.string(), fc.constant(null));
const event = fc.oneof(
  fc.record({ costDollars: fc.record({ total }, { requiredKeys: [] }) }),
  fc.record({ choices: fc.array(fc.record({ delta: fc.string({ unit: "grapheme" }) })) }),
  fc.constantFrom("[DONE]", { costDollars: { total: 1 } }, { a: { costDollars: { total: 2 } } }),
);
const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
const other = fc.constantFrom(
  ": a comment",
  "event: done",
  "id",
  'dat: {"costDollars":{"total":3}}',
  'datas: {"costDollars":{"total":4}}',
  ' data: {"costDollars":{"total":5}}',
  'Data: {"costDollars":{"total":6}}',
  ":",
);
const block = fc.record({
  event,
  indent: fc.constantFrom(undefined, 1),
  prefix: fc.constantFrom("data:", "data: "),
  before: fc.array(other, { maxLength: 2 }),
  lineEnd,
}).map(({ event, indent, prefix, before, lineEnd }) => {
  const text = typeof event === "string" ? event : JSON.stringify(event, null, indent);
  const lines = [...before, ...text.split("\n").map((line) => prefix + line)];
  return lines.map((line) => line + lineEnd).join("") + lineEnd;
});

Deno.test("the last number is that of a naive reader, however the stream is written and split", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 });
  const bom = fc.constantFrom("", "", "\ufeff");
  fc.assert(
    fc.property(fc.array(block, { maxLength: 6 }), bom, sizes, (blocks, bom, sizes) => {
      const stream = bom + blocks.join("");
      assert.equal(last(stream, COST, sizes), lastCost(stream));
    }),
    { numRuns: 800 },
  );
});

Deno.test("lines follow the rules of the standard", () => {
  const cost = '{"costDollars":{"total":0.005}}';
  const yes = [
    `data: ${cost}\n\n`,
    `data:${cost}\r\r`,
    `\ufeffdata:${cost}\r\n\r\n`,
    `: comment\ndata: ${cost}\n\n`,
    `event: end\nid: 7\nretry: 9\ndata: ${cost}\n\n`,
    `data\ndata: ${cost}\ndata\n\n`,
    `data: {"costDollars":\ndata: {"total":\rdata:0.005\r\ndata: }}\n\n`,
    `data: [DONE]\n\ndata: ${cost}\n\ndata: [DONE]\n\n`,
    `data: {"tru\n\ndata: ${cost}\n\n`,
    `data: ${cost}\n\ndata: {"costDollars":{"total":null}}\n\ndata: {"costDollars":null}\n\n`,
    `data: ${cost}\n\ndata: {"costDollars":{"total":"9"}}\n\n`,
  ];
  const no = [
    "",
    "\n\n",
    cost,
    ` data: ${cost}\n\n`,
    `\ufeff\ufeffdata: ${cost}\n\n`,
    `data : ${cost}\n\n`,
    `dataa: ${cost}\n\n`,
    `DATA: ${cost}\n\n`,
    `: data: ${cost}\n\n`,
    `event: data: ${cost}\n\n`,
    `data: {"costDollars":\n\ndata: {"total":0.005}}\n\n`,
    `data: {"costDollars":{"total":0.0\ndata: 05}}\n\n`.replace("0.0", '"0.0'),
    `data: {"a":"data: ${JSON.stringify(cost).slice(1, -1)}"}\n\n`,
    `data: [${cost}]\n\n`,
  ];
  for (const size of [1, 2, 3, 5, 8, 1_000]) {
    for (const text of yes) assert.equal(last(text, COST, [size]), "0.005", JSON.stringify(text));
    for (const text of no) assert.equal(last(text, COST, [size]), null, JSON.stringify(text));
  }
});

Deno.test("a number counts although the stream ends before the blank line, but never a torn one", () => {
  const full = 'data: {"costDollars":{"total":0.0075}}\n\n';
  for (let end = 0; end <= full.length; end++) {
    const expected = end > full.indexOf("}") ? "0.0075" : null;
    assert.equal(last(full.slice(0, end)), expected, full.slice(0, end));
  }
});

Deno.test("the paths are distinguished", () => {
  const stream = 'data: {"usage":{"input_tokens":12},"costDollars":{"total":1}}\n\n' +
    'data: {"usage":{"input_tokens":15}}\n\n';
  assert.equal(last(stream, TOKENS), "15");
  assert.equal(last(stream, COST), "1");
  assert.throws(
    () => new SseScanner([COST], (last) => last(["x"])).push(encoder.encode("data: {}\n\n")),
    RangeError,
  );
});

Deno.test("lines of data are joined by a line feed, and of repeated members the last is read", () => {
  assert.equal(last('data: {"costDollars":{"total":1\ndata: 2}}\n\n'), "1");
  assert.equal(last('data: {"costDollars":{"total":1,"total":2}}\n\n'), "2");
  assert.equal(last('data: {"costDollars":{"total":1,"total":"3"}}\n\n'), null);
  assert.equal(last('data: {"costDollars":{"total":1},"costDollars":{}}\n\n'), null);
});

Deno.test("a number is known as soon as its event is over", () => {
  const scanner = watch();
  scanner.push(encoder.encode('data: {"costDollars":{"total":2}}\n'));
  assert.equal(scanner.last(COST), null);
  scanner.push(encoder.encode("\n"));
  assert.equal(scanner.last(COST), "2");
});

Deno.test("an early reading has the values so far, and does not disturb later ones", () => {
  const scanner = watch();
  scanner.push(encoder.encode('data: {"costDollars":{"total":2},"usage":'));
  scanner.end();
  assert.equal(scanner.last(COST), "2");
  scanner.push(encoder.encode('{"input_tokens":7}}'));
  scanner.end();
  assert.equal(scanner.last(TOKENS), "7");
});

Deno.test("a line without end takes no memory, and neither do its events", () => {
  const scanner = watch();
  const long = encoder.encode("x".repeat(1 << 20));
  const events = encoder.encode('data: {"costDollars":{"total":1}}\r\n\r\n'.repeat(3_000));
  for (const start of ["", "dat", 'data: {"a":"']) {
    scanner.push(encoder.encode(`\n\n${start}`));
    const before = heldBytes();
    for (let turn = 0; turn < 30; turn++) scanner.push(long);
    const grown = heldBytes() - before;
    assert.ok(grown < 10_000_000, `${grown} bytes more`);
  }
  scanner.push(encoder.encode("\n\n"));
  scanner.push(events);
  assert.equal(scanner.last(COST), "1");
});
