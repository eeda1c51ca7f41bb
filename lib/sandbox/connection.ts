// What a stand-in needs of its caller's connection: breaking it, and noticing that the caller goes away.

/** Thrown for a connection that breaks before the answer: each way into the stand-in shows it in its own manner. */
export class ConnectionReset extends Error {
  override readonly name = "ConnectionReset";
  constructor() {
    super("connection reset by peer (sandbox fault)");
    // Deno.serve prints the error of a body that breaks off; for one that was ordered, a line is enough.
    this.stack = this.message;
  }
}

const resets = new WeakSet<Response>();

/**
 * What a handler answers where the connection is to break before the answer. Deno.serve sends the headers and breaks
 * it at the body, which is as near as a handler can get; `serveStandIn` knows it by `isReset`, and sends nothing.
 */
export function resetResponse(error: ConnectionReset): Response {
  const response = new Response(new ReadableStream({ start: (stream) => stream.error(error) }));
  resets.add(response);
  return response;
}

/** Whether a response is one of `resetResponse`. */
export function isReset(response: Response): boolean {
  return resets.has(response);
}

/**
 * Handles a request of `Deno.serve` by `respond`, which throws a ConnectionReset where the connection is to break, and
 * anything where the caller has gone away. `label` is for `labelled`.
 */
export async function answerCaller(
  request: Request,
  respond: (request: Request) => Promise<Response>,
  label: string,
): Promise<Response> {
  try {
    return labelled(await respond(request), label);
  } catch (error) {
    // Nobody reads this answer.
    if (request.signal.aborted) return labelled(new Response(null, { status: 499 }), label);
    if (error instanceof ConnectionReset) return labelled(resetResponse(error), label);
    throw error;
  }
}

/** Every answer says in `X-Sandbox` that it is not the real service's. */
export function labelled(response: Response, label: string): Response {
  response.headers.set("X-Sandbox", label);
  return response;
}

/** A wait of some milliseconds that ends early, without leaving a timer, when the caller goes away. */
export function elapsed(ms: number): (signal: AbortSignal) => Promise<void> {
  return (signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    });
}

/** Waits for ever, or until the caller goes away: then it rejects with the signal's reason. */
export function untilGone(signal: AbortSignal): Promise<never> {
  return orAborted(signal, () => new Promise<never>(() => {}));
}

/** What `wait` comes to, or a rejection with the signal's reason if that is aborted first. */
export function orAborted<T>(
  signal: AbortSignal,
  wait: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    wait(signal).then(resolve, reject);
  });
}
