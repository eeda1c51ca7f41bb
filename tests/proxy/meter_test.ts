/** The meter against a naive reading of the WHATWG rules, and its memory. */
// Not quick: it measures memory.

import assert from "node:assert/strict";
import fc from "fast-check";
import { parseConfig } from "../../lib/platform/config/config.ts";
import { createMeter, type Meter } from "../../lib/proxy/internal/meter.ts";
import { createWebsearchEndpoints } from "../../lib/proxy/websearch.ts";
import { heldBytes } from "../support/held_bytes.ts";

const encoder = new TextEncoder();
const { provider } = createWebsearchEndpoints(parseConfig({})).search;
const MEBIBYTE = 1024 * 1024;

function pushAll(meter: Meter, text: string, sizes: readonly number[] = [Infinity]): void {
  const bytes = encoder.encode(text);
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    meter.push(bytes.slice(at, at + size));
    at += size;
  }
}

/** The cost of a stream, in nano-dollars. */
function costOf(stream: string, sizes?: readonly number[]): bigint | null {
  const meter = createMeter()(provider, "events");
  pushAll(meter, stream, sizes);
  return meter.end().reading.cost;
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

/** The last cost above zero among whole events, else the last one, by JSON.parse. */
function naiveCost(stream: string): bigint | null {
  const costs = dataOf(stream).flatMap((text) => {
    try {
      const total: unknown = JSON.parse(text)?.costDollars?.total;
      return typeof total === "number" ? [BigInt(total)] : [];
    } catch {
      return [];
    }
  });
  const cost = costs.findLast((each) => each > 0n) ?? costs.at(-1);
  return cost === undefined ? null : cost * 1_000_000_000n;
}

const total = fc.oneof(fc.integer({ min: 0, max: 100 }), fc.string(), fc.constant(null));
const event = fc.oneof(
  fc.record({ costDollars: fc.record({ total }, { requiredKeys: [] }) }),
  fc.record({ choices: fc.array(fc.record({ delta: fc.string({ unit: "grapheme" }) })) }),
  fc.constantFrom("[DONE]", { costDollars: { total: 1 } }, { a: { costDollars: { total: 2 } } }),
);
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
  lineEnd: fc.constantFrom("\n", "\r\n", "\r"),
}).map(({ event, indent, prefix, before, lineEnd }) => {
  const text = typeof event === "string" ? event : JSON.stringify(event, null, indent);
  const lines = [...before, ...text.split("\n").map((line) => prefix + line)];
  return lines.map((line) => line + lineEnd).join("") + lineEnd;
});

Deno.test("the cost of a stream is that of a naive reader, however the stream is written and split", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 });
  const mark = fc.constantFrom("", "", "\ufeff");
  fc.assert(
    fc.property(fc.array(block, { maxLength: 6 }), mark, sizes, (blocks, mark, sizes) => {
      const stream = mark + blocks.join("");
      assert.equal(costOf(stream, sizes), naiveCost(stream));
    }),
    { numRuns: 800 },
  );
});

Deno.test("an event of more than a mebibyte ends the reading of a stream: the cost before it counts, in bounded memory", () => {
  const paid = (total: number) => `data: {"costDollars":{"total":${total}}}\n\n`;
  const long = encoder.encode("x".repeat(MEBIBYTE / 2));
  for (const lineEnd of ["", "\ndata:"]) {
    const meter = createMeter()(provider, "events");
    pushAll(meter, paid(1) + 'data: {"a":"');
    const before = heldBytes();
    for (let turn = 0; turn < 60; turn++) {
      meter.push(long.slice());
      pushAll(meter, lineEnd);
    }
    const grown = heldBytes() - before;
    assert.ok(grown < 10_000_000, `${grown} bytes more`);
    pushAll(meter, `"}\n\n${paid(2)}`);
    assert.equal(meter.end().reading.cost, 1_000_000_000n);
  }
  const text = "x".repeat(MEBIBYTE - 100);
  assert.equal(costOf(`data: {"a":"${text}","costDollars":{"total":3}}\n\n`), 3_000_000_000n);
});

Deno.test("a large response is copied up to 4 MiB, and its cost read at the end, however it is split", () => {
  const long = (bytes: number) => {
    const [start, end] = ['\ufeff{"costDollars":{"total":9},"a":"', '","costDollars":{"total":2}}'];
    return `${start}${"é".repeat((bytes - start.length - end.length - 2) / 2)}${end}`;
  };
  for (
    const [bytes, size, cost] of [
      [300_000, 1, 2_000_000_000n],
      [300_000, 999, 2_000_000_000n],
      [4 * MEBIBYTE, 65_536, 2_000_000_000n],
      [4 * MEBIBYTE + 2, 65_536, null],
    ] as const
  ) {
    const meter = createMeter()(provider, "json");
    pushAll(meter, long(bytes), [size]);
    const { reading, isCut } = meter.end();
    assert.deepEqual([reading.cost, isCut], [cost, false], `${bytes} by ${size}`);
  }
  const cut = createMeter()(provider, "json");
  pushAll(cut, long(300_000).slice(0, -1));
  const { reading, isCut } = cut.end();
  assert.deepEqual([reading.cost, isCut], [null, true]);
});

Deno.test("the copies of a process take 64 MiB together: without room a cost is unknown, and room comes back", () => {
  const follow = createMeter();
  const text = `{"costDollars":{"total":2},"a":"${"x".repeat(4 * MEBIBYTE - 1_000)}"}`;
  const open = Array.from({ length: 16 }, () => {
    const meter = follow(provider, "json");
    pushAll(meter, text, [65_536]);
    return meter;
  });
  const late = follow(provider, "json");
  pushAll(late, text, [65_536]);
  const { reading, isCut } = late.end();
  assert.deepEqual([reading.cost, isCut], [null, false]);
  assert.deepEqual(
    new Set(open.map((meter) => meter.end().reading.cost)),
    new Set([2_000_000_000n]),
  );
  const next = follow(provider, "json");
  pushAll(next, text, [65_536]);
  assert.equal(next.end().reading.cost, 2_000_000_000n);
});
