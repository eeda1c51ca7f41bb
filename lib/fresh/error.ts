/** Errors with a status. */

import { STATUS_CODES } from "node:http";

/** An error that sets the status of the response. Without a message, `message` is "" as in upstream. */
export class HttpError extends Error {
  override name = "HttpError";

  /** @param status an HTTP status from 400 on. */
  constructor(readonly status: number, message = "", options?: ErrorOptions) {
    super(message, options);
  }
}

/** The response to an error that no middleware has handled; it reveals nothing of an unexpected one, which is logged. */
export function defaultErrorResponse(error: unknown): Response {
  // deno-lint-ignore no-console -- the framework's log is the console
  if (!(error instanceof HttpError) || error.status >= 500) console.error(error);
  if (!(error instanceof HttpError)) return new Response("Internal server error", { status: 500 });
  return new Response(error.message || STATUS_CODES[error.status], { status: error.status });
}
