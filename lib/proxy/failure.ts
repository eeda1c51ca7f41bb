/** How a call can fail: the reason inside, the sentence outside, and what it is charged. */

import { type ErrorCode, PublicError } from "../http/mod.ts";
import type { Provider, Reading } from "./provider.ts";

/** Why a call was ended from this side. */
export type EndReason = "timeout" | "aborted";

/** Why a call gave no answer that can be passed on. */
type FailureReason =
  | EndReason
  /** The caller went before anything was sent. */
  | "unsent"
  /** Nothing was sent: no connection. */
  | { readonly kind: "unreachable"; readonly cause: unknown }
  /** The connection broke after the request was sent. */
  | { readonly kind: "broken"; readonly cause: unknown }
  /** An answer that cannot be passed on: not JSON, empty, cut off or too long. */
  | { readonly kind: "nonsense"; readonly what: string }
  /** An error that is not the caller's, or whose body is not for callers. */
  | { readonly kind: "refused"; readonly status: number; readonly headers: Headers };

/** An error answer, or a request that was never sent: nothing to charge. */
export const FREE: Reading = { cost: 0n, inputTokens: null, outputTokens: null, model: null };

/** The provider may have done the work and charged for it, so the reservation is charged. */
export const UNKNOWN: Reading = { ...FREE, cost: null };

/** A failed call. */
export class CallFailure extends Error {
  override name = "CallFailure";

  /**
   * @param reason for the log; {@linkcode describeFailure} says what the caller gets.
   * @param reading what the answer had said before it failed, if there was one.
   */
  constructor(readonly reason: FailureReason, readonly reading: Reading = UNKNOWN) {
    super("the call of a provider failed");
  }
}

/** What the caller gets, what is charged, and the status for the usage record. */
interface FailureDescription {
  readonly error: PublicError;
  readonly reading: Reading;
  readonly status: number;
}

/** nginx's status for a caller that has gone; nobody receives it. */
const CALLER_GONE = 499;

const BY_UPSTREAM = { "x-refused-by": "upstream" };
/** What a caller is asked to wait when a provider says nothing of it. */
export const RETRY_SECONDS = "2";
const isTransient = (code: ErrorCode) =>
  code === "upstream_error" || code === "rate_limited" || code === "upstream_overloaded";

function headersOf(code: ErrorCode, retryAfter: string | null): Record<string, string> {
  const pause = retryAfter ?? (isTransient(code) ? RETRY_SECONDS : null);
  return pause === null ? BY_UPSTREAM : { ...BY_UPSTREAM, "retry-after": pause };
}

/** The public face of a failure. No message repeats what a provider sent. */
export function describeFailure(
  { reason, reading }: CallFailure,
  provider: Provider,
): FailureDescription {
  const name = provider.name.charAt(0).toUpperCase() + provider.name.slice(1);
  const fail = (code: ErrorCode, message: string, reading: Reading, cause?: unknown) => {
    const error = new PublicError(code, message, { headers: headersOf(code, null), cause });
    return { error, reading, status: error.status };
  };
  if (reason === "timeout") return fail("upstream_timeout", `${name} took too long.`, reading);
  if (reason === "aborted" || reason === "unsent") {
    const gone = fail("bad_request", "The caller has gone.", reason === "unsent" ? FREE : reading);
    return { ...gone, status: CALLER_GONE };
  }
  switch (reason.kind) {
    case "unreachable":
      return fail("upstream_error", `${name} cannot be reached.`, FREE, reason.cause);
    case "broken":
      return fail("upstream_error", `${name} broke the connection.`, reading, reason.cause);
    case "nonsense":
      return fail("upstream_error", `${name} sent ${reason.what}.`, reading);
    case "refused":
      return refusedBy(name, reason.status, reason.headers);
  }
}

function refusedBy(name: string, status: number, answer: Headers): FailureDescription {
  const retryAfter = answer.get("retry-after");
  const refuse = (code: ErrorCode, message: string, reading = FREE) => {
    const cause = `the provider answered ${status}`;
    const error = new PublicError(code, message, { headers: headersOf(code, retryAfter), cause });
    return { error, reading, status: error.status };
  };
  switch (status) {
    case 401:
    case 402:
    case 403:
      return refuse("upstream_error", `${name} refused the service's own account.`);
    case 404:
      return refuse("not_found", `${name} does not know what was asked for.`);
    case 413:
      return refuse("payload_too_large", `${name} takes smaller bodies only.`);
    case 422:
      return refuse("validation_failed", `${name} does not understand the body.`);
    case 429:
      return refuse("rate_limited", `${name} asks to slow down.`);
    case 504:
    case 524:
      return refuse("upstream_timeout", `${name} took too long.`, UNKNOWN);
    case 529:
      return refuse("upstream_overloaded", `${name} is overloaded.`);
  }
  return status >= 400 && status < 500
    ? refuse("bad_request", `${name} refused the request (${status}).`)
    : refuse("upstream_error", `${name} failed (${status}).`);
}
