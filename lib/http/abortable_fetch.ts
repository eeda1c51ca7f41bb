/** A `fetch` that can be aborted until the last byte of the body. */

/**
 * A `fetch` whose signal also ends the reading of the body. In Deno 2.9.6 the signal has no effect once the
 * `Response` is garbage-collected, which may happen while its body is in use: a silent sender would then block
 * the reader forever. So each body keeps its response alive here.
 */
export function abortableFetch(doFetch: typeof fetch): typeof fetch {
  const responses = new WeakMap<ReadableStream, Response>();
  return async function fetchAbortable(input, init) {
    const response = await doFetch(input, init);
    if (response.body !== null) responses.set(response.body, response);
    return response;
  };
}
