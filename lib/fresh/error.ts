/** Errors with a status. */

import { STATUS_CODES } from "node:http";

/** An error that is answered with its status. Without a message, `message` is "" as in upstream. */
export class HttpError extends Error {
  override name = "HttpError";

  /** @param status an HTTP status from 400 on. */
  constructor(readonly status: number, message = "", options?: ErrorOptions) {
    super(message, options);
  }
}

/** What an error is answered with when no error page takes it: nothing of its inside. */
export function defaultErrorResponse(error: unknown): Response {
  if (!(error instanceof HttpError)) return new Response("Internal server error", { status: 500 });
  return new Response(error.message || STATUS_CODES[error.status], { status: error.status });
}

/** Writes an error to the log unless it is a foreseen answer, as upstream does. */
export function logUnexpected(error: unknown): void {
  // deno-lint-ignore no-console -- the framework's log is the console
  if (!(error instanceof HttpError) || error.status >= 500) console.error(error);
}
