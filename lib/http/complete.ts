/**
 * Responses that are made with all of their headers. Deno 2.9.6 sends a `Response` faster if its `headers`
 * were never accessed; one access costs more than all of the middleware.
 */

/** One header. */
export type HeaderLine = [name: string, value: string];

const complete = new WeakSet<Response>();

/** The headers of every response; `*` lets scripts of other origins read it. */
export function commonHeaders(requestId: string): HeaderLine[] {
  return [
    ["x-request-id", requestId],
    ["access-control-allow-origin", "*"],
    ["access-control-expose-headers", "*"],
  ];
}

/**
 * Makes a response with the given headers and those of every response. Nothing adds any later, so HTML must
 * bring its security headers (`policy.ts`) as well.
 */
export function createComplete(
  body: BodyInit | null,
  { status = 200, headers, requestId }: {
    readonly status?: number;
    readonly headers: readonly HeaderLine[];
    readonly requestId: string;
  },
): Response {
  const response = new Response(body, {
    status,
    headers: [...headers, ...commonHeaders(requestId)],
  });
  complete.add(response);
  return response;
}

/** Whether a response was made by {@linkcode createComplete}, and so needs no further headers. */
export function isComplete(response: Response): boolean {
  return complete.has(response);
}
