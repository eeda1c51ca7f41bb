// One request and its response: which side ended it, and how much of the body was made for it.

import { ConnectionReset } from "./connection.ts";
import type { Outgoing } from "./provider_effects.ts";

/** Begins an exchange; `signal` fires when the caller disconnects, and `onEnd` is called once. */
export function createExchange(signal: AbortSignal, onEnd: () => void) {
  const { promise: ended, resolve } = Promise.withResolvers<"complete" | "aborted">();
  const gone = new AbortController();
  let isOver = false;
  let producedBytes = 0;

  /** Ends it; only the first call counts. */
  function end(how: "complete" | "aborted"): void {
    if (isOver) return;
    isOver = true;
    signal.removeEventListener("abort", leave);
    resolve(how);
    onEnd();
    if (how === "aborted") gone.abort(signal.reason);
  }
  // Without `no-legacy-abort` Deno's signal also fires after a good answer; the exchange is over then.
  const leave = () => end("aborted");
  signal.addEventListener("abort", leave);
  if (signal.aborted) leave();

  return {
    /** Fires when the caller disconnects before the end. */
    gone: gone.signal,
    ended,
    get producedBytes(): number {
      return producedBytes;
    },
    end,
    /** The response, whose body ends the exchange when it has been handed over. */
    send({ status, headers, chunks, length }: Outgoing): Response {
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          try {
            gone.signal.throwIfAborted();
            const { value } = await chunks.next();
            if (value !== undefined) {
              producedBytes += value.length;
              controller.enqueue(value);
              // With an announced length, the reader requests no more than that.
              if (producedBytes !== length) return;
            }
            end("complete");
            controller.close();
          } catch (error) {
            end(error instanceof ConnectionReset ? "complete" : "aborted");
            controller.error(error);
          }
        },
        cancel: leave,
      }, { highWaterMark: 0 });
      const sent = new Headers(headers);
      if (length !== undefined) sent.set("Content-Length", String(length));
      // Deno.serve would compress for callers that can read it, and the sizes of chunks would be its own.
      sent.set("Cache-Control", "no-store, no-transform");
      return new Response(body, { status, headers: sent });
    },
  };
}
