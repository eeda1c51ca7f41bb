/**
 * Answers that have every header from the start. Deno 2.9.6 sends a `Response` whose headers nobody has
 * looked into by a shorter way; a look costs more than all of the middleware.
 */

/** Header fields by name, in lower case. */
export type HeaderFields = Readonly<Record<string, string>>;

/** An answer that was made with every header. */
class CompleteResponse extends Response {}

/** What every answer says, `*` so that scripts of other origins can read it. */
export function commonHeaders(requestId: string): HeaderFields {
  return {
    "x-request-id": requestId,
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "*",
  };
}

/**
 * Makes an answer with the headers of every answer beside its own. Nobody adds any later: an answer of HTML
 * brings its page's (`policy.ts`) as well.
 */
export function createComplete(
  body: BodyInit | null,
  { status = 200, headers, requestId }: {
    readonly status?: number;
    readonly headers: HeaderFields;
    readonly requestId: string;
  },
): Response {
  return new CompleteResponse(body, {
    status,
    headers: { ...headers, ...commonHeaders(requestId) },
  });
}

/** Whether an answer was made by {@linkcode createComplete}: it needs no header more. */
export function isComplete(response: Response): boolean {
  return response instanceof CompleteResponse;
}
