/** A body that is being read ends by its signal, whatever the collector has taken. */
// Not quick: it waits for the garbage collector.

import assert from "node:assert/strict";
import { holdingFetch, readBounded } from "../../../lib/platform/http/body.ts";
import { withTimeout } from "../../../lib/platform/timeout.ts";
import { collectForTurns } from "../../support/held_bytes.ts";

Deno.test("a body whose sender falls silent is given up by the signal after a collection", async () => {
  const closing = new AbortController();
  const begun = new TextEncoder().encode("[");
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", signal: closing.signal, onListen() {} },
    () => new Response(new ReadableStream({ start: (stream) => stream.enqueue(begun) })),
  );
  const doFetch = holdingFetch(fetch);
  const alone = (signal: AbortSignal) => signal;
  const joined = (signal: AbortSignal) => AbortSignal.any([signal, AbortSignal.timeout(900_000)]);
  for (const signalOf of [alone, joined]) {
    const controller = new AbortController();
    const { promise: isReading, resolve } = Promise.withResolvers<void>();
    const reading = (async () => {
      const signal = signalOf(controller.signal);
      const { body } = await doFetch(`http://127.0.0.1:${server.addr.port}`, { signal });
      return await readBounded(body, 100, () => new Error("too long"), () => resolve());
    })();
    await isReading;
    await collectForTurns();
    controller.abort(new Error("given up"));
    const late = () => {
      throw new Error("is still being read");
    };
    await assert.rejects(withTimeout(30_000, reading, late), /given up/);
  }
  closing.abort();
  await server.finished;
});
