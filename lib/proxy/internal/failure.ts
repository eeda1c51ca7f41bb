/** How a call can fail: the error for the caller, and the charge. No message repeats text from a provider. */

import { type ErrorCode, ERRORS, PublicError } from "../../platform/http/errors.ts";
import type { ParsedUsage, Provider } from "./provider.ts";
import { RETRY_SECONDS, type waitHeaders } from "../wait.ts";

/** Nothing to charge: an error response, or a request that was never sent. */
export const FREE: ParsedUsage = { cost: 0n, inputTokens: null, outputTokens: null, model: null };

/** The reservation is charged, because the provider may have done the work. */
export const UNKNOWN: ParsedUsage = { ...FREE, cost: null };

/** The facts of a failure besides its kind. */
interface Circumstances {
  /** The figures to book; {@linkcode UNKNOWN} unless given. */
  readonly reading?: ParsedUsage;
  /** For the log. */
  readonly cause?: unknown;
  /** The provider's headers about a wait. */
  readonly wait?: ReturnType<typeof waitHeaders>;
}

/** A call without a response to pass on. */
export class CallFailure extends Error {
  override name = "CallFailure";
  readonly reading: ParsedUsage;
  readonly wait: ReturnType<typeof waitHeaders>;

  /**
   * @param code of the error for the caller; null if the caller has gone.
   * @param problem the rest of a sentence that begins with the provider's name.
   */
  constructor(
    readonly code: ErrorCode | null,
    readonly problem: string,
    { reading = UNKNOWN, cause, wait = {} }: Circumstances = {},
  ) {
    super("the call of a provider failed", { cause });
    this.reading = reading;
    this.wait = wait;
  }
}

/** The provider was silent for too long. */
export const timedOut = () => new CallFailure("upstream_timeout", "took too long");
/** The caller has disconnected. */
export const callerGone = (reading?: ParsedUsage) =>
  new CallFailure(null, "lost its caller", { ...reading && { reading } });
/** The response is not JSON, empty, truncated or too long, or not for callers. */
export const invalidResponse = (what: string, reading = UNKNOWN) =>
  new CallFailure("upstream_error", `sent ${what}`, { reading });

/**
 * An error that does not concern the caller, or whose body is not for callers. It is free unless it states a cost;
 * after a gateway's time limit, the work may have been done.
 */
export function refused(
  status: number,
  wait: ReturnType<typeof waitHeaders>,
  reading = UNKNOWN,
): CallFailure {
  const [code, problem] = REFUSALS[status] ??
    (status >= 400 && status < 500
      ? ["bad_request", `refused the request (${status})`]
      : ["upstream_error", `failed (${status})`]);
  const { cost } = code === "upstream_timeout" ? UNKNOWN : FREE;
  return new CallFailure(code, problem, {
    reading: { ...reading, cost: reading.cost ?? cost },
    cause: `the provider answered ${status}`,
    wait,
  });
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

/** nginx's status for a caller that has gone, for the usage record alone. */
const CALLER_GONE = 499;

/** A `Retry-After`, if an error with this status may pass by itself. */
export function mayPass(status: number): Readonly<Record<string, string>> {
  return status === 429 || status > 500 ? { "retry-after": RETRY_SECONDS } : {};
}

/** The status of a failure for the usage record, and its error for the caller. */
export function describeFailure(
  { code, problem, cause, wait }: CallFailure,
  { name }: Provider,
): { readonly error: PublicError; readonly status: number } {
  const failed = code ?? "bad_request";
  const headers = { "x-refused-by": "upstream", ...mayPass(ERRORS[failed].status), ...wait };
  const message = `${name.charAt(0).toUpperCase()}${name.slice(1)} ${problem}.`;
  const error = new PublicError(failed, message, { headers, cause });
  return { error, status: code === null ? CALLER_GONE : error.status };
}
