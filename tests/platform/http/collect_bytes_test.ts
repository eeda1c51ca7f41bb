/** Bodies of unknown length: the collected bytes are the sent ones, and take no more memory. */
// Not quick: it measures memory.

import assert from "node:assert/strict";
import fc from "fast-check";
import { readBounded } from "../../../lib/platform/http/body.ts";
import { heldBytes } from "../../support/held_bytes.ts";

const tooLong = () => new Error("too long");

function streamOf(parts: Iterable<Uint8Array<ArrayBuffer>>) {
  const iterator = Iterator.from(parts);
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  }, { highWaterMark: 0 });
}

Deno.test("parts of any sizes come out as the bytes that they are together", async () => {
  const part = fc.uint8Array({ maxLength: 50 }).map((bytes) => new Uint8Array(bytes));
  await fc.assert(fc.asyncProperty(fc.array(part), async (parts) => {
    const given = parts.map((bytes) => [...bytes]);
    const bytes = await readBounded(streamOf(parts), 10_000, tooLong);
    assert.deepEqual([...bytes], given.flat());
    // No other buffer was written either.
    assert.deepEqual(parts.map((bytes) => [...bytes]), given);
  }));
});

Deno.test("a body of small parts holds its bytes, neither the buffers that they came in nor what was announced", async () => {
  let [before, growth] = [0, 0];
  function* drips() {
    // As Deno reads from a connection: a new buffer for each part.
    for (let count = 0; count < 2_000; count++) yield new Uint8Array(65_536).subarray(0, 1);
    growth = heldBytes() - before;
    yield new Uint8Array(1);
  }
  for (const announced of [undefined, 50_000_000]) {
    before = heldBytes();
    const bytes = await readBounded(streamOf(drips()), 10_000, tooLong, undefined, announced);
    assert.equal(bytes.length, 2_001);
    assert.ok(growth < 10_000_000, `${growth} bytes are held for 2,000 of ${announced}`);
  }
});

Deno.test("a body of many small parts moves its bytes a few times, however many parts there are", async () => {
  const { transfer } = ArrayBuffer.prototype;
  let moves = 0;
  ArrayBuffer.prototype.transfer = function (length) {
    moves++;
    return transfer.call(this, length);
  };
  try {
    const parts = Array.from({ length: 4_000 }, () => new Uint8Array(16));
    const bytes = await readBounded(streamOf(parts), 100_000, tooLong);
    assert.equal(bytes.length, 64_000);
  } finally {
    ArrayBuffer.prototype.transfer = transfer;
  }
  assert.ok(moves < 30, `${moves} moves`);
});
