/** Errors with a status. */

import { STATUS_TEXT } from "./status_text.ts";

/** An error that is answered with its status. Without a message, `message` is "" as in upstream. */
export class HttpError extends Error {
  override name = "HttpError";

  /** @param status an HTTP status from 400 on. */
  constructor(readonly status: number, message = "", options?: ErrorOptions) {
    super(message, options);
  }
}

/** What an error is answered with when no error page takes it: its message, or nothing of its inside. */
export function defaultErrorResponse(error: unknown): Response {
  if (error instanceof HttpError) {
    const text = error.message || STATUS_TEXT[error.status] || "Error";
    return new Response(text, { status: error.status });
  }
  return new Response("Internal server error", { status: 500 });
}

/** Writes an error to the log unless it is a foreseen answer: upstream does so, and nothing is swallowed. */
export function logUnexpected(error: unknown): void {
  if (error instanceof HttpError && error.status < 500) return;
  // deno-lint-ignore no-console -- the framework's log is the console, as upstream
  console.error(error);
}
