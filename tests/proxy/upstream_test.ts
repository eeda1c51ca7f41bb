/** The sizes of the reads of a provider's response. */

import assert from "node:assert/strict";
import { createWatchdog, openBody } from "../../lib/proxy/upstream.ts";
import { startRealTimer } from "../../lib/platform/timeout.ts";

const KIBIBYTE = 1_024;

/** A body that fills each buffer by as much as `fill` returns, and notes the buffers' sizes. */
function createBody(fill: readonly number[]) {
  const asked: number[] = [];
  const body = new ReadableStream({
    type: "bytes",
    pull(controller) {
      const request = controller.byobRequest;
      const size = request?.view?.byteLength ?? 0;
      const part = fill[asked.length];
      asked.push(size);
      if (part === undefined) controller.close();
      request?.respond(part === undefined ? 0 : Math.min(part, size));
    },
  });
  return { asked, body };
}

async function readAll(response: Response): Promise<void> {
  const watchdog = createWatchdog(new AbortController().signal, 1_000, startRealTimer);
  const source = openBody(response, watchdog, () => Promise.resolve());
  while (await source.next() !== null);
}

Deno.test("an answer of unknown length is read in larger pieces while it fills them, else in small ones", async () => {
  const { asked, body } = createBody([Infinity, Infinity, 10, Infinity, 10]);
  await readAll(new Response(body));
  const sizes = [16, 64, 64, 16, 64, 16].map((kibibytes) => kibibytes * KIBIBYTE);
  assert.deepEqual(asked, sizes);
});

Deno.test("a response of known length is read no further than its length", async () => {
  const { asked, body } = createBody([Infinity, 1_000, Infinity]);
  const length = 64 * KIBIBYTE + 3_000;
  await readAll(new Response(body, { headers: { "content-length": String(length) } }));
  assert.deepEqual(asked, [64 * KIBIBYTE, 3_000, 2_000]);
});

Deno.test("an answer that announces no bytes is read to its end, which frees its connection", async () => {
  const { asked, body } = createBody([]);
  await readAll(new Response(body, { headers: { "content-length": "0" } }));
  assert.equal(asked.length, 1);
});
