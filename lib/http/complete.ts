/**
 * Answers that have every header from the start. Deno 2.9.6 sends a `Response` whose headers nobody has
 * looked into by a shorter way; a look costs more than all of the middleware.
 */

/** A line of a header. */
export type HeaderLine = [name: string, value: string];

const complete = new WeakSet<Response>();

/** What every answer says, `*` so that scripts of other origins can read it. */
export function commonHeaders(requestId: string): HeaderLine[] {
  return [
    ["x-request-id", requestId],
    ["access-control-allow-origin", "*"],
    ["access-control-expose-headers", "*"],
  ];
}

/**
 * Makes an answer with the headers of every answer beside its own. Nobody adds any later: an answer of HTML
 * brings its page's (`policy.ts`) as well.
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

/** Whether an answer was made by {@linkcode createComplete}: it needs no header more. */
export function isComplete(response: Response): boolean {
  return complete.has(response);
}
