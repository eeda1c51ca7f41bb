/** A `fetch` that can be ended to the last byte. */

/**
 * A `fetch` whose signal also ends a body that is being read. Deno 2.9.6 holds the signal by the response:
 * once the collector has taken that, as it may while only the body is in use, a body whose sender falls
 * silent is waited for without end.
 */
export function abortableFetch(doFetch: typeof fetch): typeof fetch {
  const responses = new WeakMap<ReadableStream, Response>();
  return async function fetchAbortable(input, init) {
    const response = await doFetch(input, init);
    if (response.body !== null) responses.set(response.body, response);
    return response;
  };
}
