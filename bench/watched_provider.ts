/** A provider in the bench's own process, so that what it notices and what callers do have one clock. */

/** One request of it. */
interface Watched {
  /** The moment, by `performance.now()`, at which the provider notices that its caller has disconnected. */
  readonly gone: Promise<number>;
  /** Bytes of the answer that were made until now. */
  readonly produced: number;
}

/** How it answers: never, by events that trickle without end, or by so many bytes of events. */
type Manner = "silent" | "trickling" | number;

const TRICKLE_MILLISECONDS = 20;
const EVENT = 'data: {"choices":[{"delta":{"content":"word"}}]}\n\n';
const encoder = new TextEncoder();
const event = encoder.encode(EVENT);
const piece = encoder.encode(EVENT.repeat(1_300));

/** A provider that runs. */
export type WatchedProvider = ReturnType<typeof startWatchedProvider>;

/** Starts one. */
export function startWatchedProvider() {
  let expected: { manner: Manner; resolve: (watched: Watched) => void } | null = null;

  function answer(request: Request): Response | Promise<Response> {
    // The router's lists, which no caller requests here.
    if (request.method !== "POST" || expected === null) return Response.json({ data: [] });
    const { manner, resolve } = expected;
    expected = null;
    const gone = Promise.withResolvers<number>();
    request.signal.addEventListener("abort", () => gone.resolve(performance.now()));
    const watched = { gone: gone.promise, produced: 0 };
    resolve(watched);
    if (manner === "silent") return gone.promise.then(() => new Response());
    const body = new ReadableStream({
      async pull(controller) {
        if (manner === "trickling") {
          await new Promise((resolve) => setTimeout(resolve, TRICKLE_MILLISECONDS));
          return controller.enqueue(event);
        }
        if (watched.produced >= manner) return controller.close();
        watched.produced += piece.length;
        controller.enqueue(piece);
      },
    }, { highWaterMark: 0 });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    await request.bytes();
    return await answer(request);
  });
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    /** Says how the next request is answered, and resolves when it has come. */
    expect(manner: Manner): Promise<Watched> {
      const { promise, resolve } = Promise.withResolvers<Watched>();
      expected = { manner, resolve };
      return promise;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
