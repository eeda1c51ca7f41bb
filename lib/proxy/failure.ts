/** How a call can fail: the reason for the log, the error for the caller, and the charge. */

import { type ErrorCode, PublicError } from "../platform/http/errors.ts";
import type { Provider, Reading } from "./provider.ts";

/** Why Foyer ended a call. */
export type EndReason = "timeout" | "aborted";

/** Why there is no response to pass on. */
type FailureReason =
  | EndReason
  /** The caller left before anything was sent. */
  | "unsent"
  /** Nothing was sent: no connection. */
  | { readonly kind: "unreachable"; readonly cause: unknown }
  /** The connection broke after the request was sent. */
  | { readonly kind: "broken"; readonly cause: unknown }
  /** An unusable response: not JSON, empty, truncated or too long. */
  | { readonly kind: "nonsense"; readonly what: string }
  /** An error that does not concern the caller, or whose body is not for callers. */
  | { readonly kind: "refused"; readonly status: number; readonly retryAfter: string | null };

/** Nothing to charge: an error response, or a request that was never sent. */
export const FREE: Reading = { cost: 0n, inputTokens: null, outputTokens: null, model: null };

/** The reservation is charged, because the provider may have done the work. */
export const UNKNOWN: Reading = { ...FREE, cost: null };

/** A failed call. */
export class CallFailure extends Error {
  override name = "CallFailure";

  /**
   * @param reason for the log; {@linkcode describeFailure} makes the error for the caller.
   * @param reading the figures that the response stated before the call failed.
   */
  constructor(readonly reason: FailureReason, readonly reading: Reading = UNKNOWN) {
    super("the call of a provider failed");
  }
}

/** The error for the caller, the charge, and the status for the usage record. */
interface FailureDescription {
  readonly error: PublicError;
  readonly reading: Reading;
  readonly status: number;
}

/** nginx's status for a caller that has gone, for the usage record alone. */
const CALLER_GONE = 499;

/** The `Retry-After` for a caller if the provider sends none. */
export const RETRY_SECONDS = "2";
const isTransient = (code: ErrorCode) =>
  code === "upstream_error" || code === "rate_limited" || code === "upstream_overloaded";

/** Describes a failure to the caller. No message repeats text from a provider. */
export function describeFailure(
  { reason, reading }: CallFailure,
  provider: Provider,
): FailureDescription {
  const name = provider.name.charAt(0).toUpperCase() + provider.name.slice(1);
  const fail = (code: ErrorCode, problem: string, charged = reading, cause?: unknown) =>
    describe(code, `${name} ${problem}.`, charged, cause);
  if (reason === "timeout") return fail("upstream_timeout", "took too long");
  if (reason === "aborted" || reason === "unsent") {
    const charged = reason === "unsent" ? FREE : reading;
    return { ...describe("bad_request", "The caller has gone.", charged), status: CALLER_GONE };
  }
  switch (reason.kind) {
    case "unreachable":
      return fail("upstream_error", "cannot be reached", FREE, reason.cause);
    case "broken":
      return fail("upstream_error", "broke the connection", reading, reason.cause);
    case "nonsense":
      return fail("upstream_error", `sent ${reason.what}`);
    case "refused": {
      const { status, retryAfter } = reason;
      const [code, problem] = REFUSALS[status] ??
        (status >= 400 && status < 500
          ? ["bad_request", `refused the request (${status})`]
          : ["upstream_error", `failed (${status})`]);
      // An error is free unless it states a cost; after a gateway's time limit, the work may have been done.
      const { cost } = code === "upstream_timeout" ? UNKNOWN : FREE;
      const charged = { ...reading, cost: reading.cost ?? cost };
      const cause = `the provider answered ${status}`;
      return describe(code, `${name} ${problem}.`, charged, cause, retryAfter);
    }
  }
}

const OF_OUR_ACCOUNT = ["upstream_error", "refused the service's own account"] as const;
const LATE = ["upstream_timeout", "took too long"] as const;
/** The error for a status of the provider. */
const REFUSALS: Readonly<Record<number, readonly [ErrorCode, problem: string]>> = {
  401: OF_OUR_ACCOUNT,
  402: OF_OUR_ACCOUNT,
  403: OF_OUR_ACCOUNT,
  404: ["not_found", "could not find what was requested"],
  413: ["payload_too_large", "accepts only smaller bodies"],
  422: ["validation_failed", "does not accept the body"],
  429: ["rate_limited", "asks to slow down"],
  504: LATE,
  524: LATE,
  529: ["upstream_overloaded", "is overloaded"],
};

function describe(
  code: ErrorCode,
  message: string,
  reading: Reading,
  cause?: unknown,
  retryAfter: string | null = null,
): FailureDescription {
  const pause = retryAfter ?? (isTransient(code) ? RETRY_SECONDS : null);
  const headers = { "x-refused-by": "upstream", ...pause !== null && { "retry-after": pause } };
  const error = new PublicError(code, message, { headers, cause });
  return { error, reading, status: error.status };
}
