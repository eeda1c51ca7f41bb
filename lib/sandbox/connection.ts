// A stand-in's control of its caller's connection: breaking it, and noticing that the caller disconnects.

/** Thrown for a connection that breaks before the response. Each entry to the stand-in shows it in its own way. */
export class ConnectionReset extends Error {
  override readonly name = "ConnectionReset";
  constructor() {
    super("connection reset by peer (sandbox fault)");
    // Deno.serve prints the error of a body that is cut off; for a planned fault, a line is enough.
    this.stack = this.message;
  }
}

const resets = new WeakSet<Response>();

/**
 * A handler's response in place of a connection that breaks before the response. Deno.serve sends the headers and
 * breaks the connection at the body, which is the best that a handler can do; `serveStandIn` recognises it by
 * `isReset`, and sends nothing.
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
 * Handles a request of `Deno.serve` with `respond`, which throws a ConnectionReset to break the connection, and any
 * error if the caller has disconnected. `label` is for `labelled`.
 */
export async function answerCaller(
  request: Request,
  respond: (request: Request) => Promise<Response>,
  label: string,
): Promise<Response> {
  try {
    return labelled(await respond(request), label);
  } catch (error) {
    // No caller reads this response.
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

/** Waits for some milliseconds; ends early, without leaving a timer, when the caller disconnects. */
export function elapsed(ms: number): (signal: AbortSignal) => Promise<void> {
  return (signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    });
}

/** Waits until the caller disconnects, and then rejects with the signal's reason. */
export function untilGone(signal: AbortSignal): Promise<never> {
  return orAborted(signal, () => new Promise<never>(() => {}));
}

/** The result of `wait`, or a rejection with the signal's reason if the signal is aborted first. */
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
