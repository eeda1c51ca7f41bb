/**
 * The public errors: one type, one table. Code throws a `PublicError`; the root middleware answers it.
 * Events contract, section 7: every error has a stable code, a sentence, and the status in the body.
 */

import { HttpError } from "fresh";

/** How long a 404 may be cached: an event may be announced at any time. Other errors are never cached. */
export const NOT_FOUND_MAX_AGE_SECONDS = 60;

/**
 * Every code that an error may have: its status (which the contract leaves open), what causes it, and what
 * the caller can do. `/docs/errors` is made of this table.
 */
export const ERRORS = {
  bad_request: {
    status: 400,
    cause:
      "Something in the request was not understood, such as an unknown parameter or broken JSON.",
    remedy: "Change what the message names; the hint lists what is understood.",
  },
  unauthorized: {
    status: 401,
    cause:
      "The address needs an API key, and got none, or one that is mistyped, revoked or expired.",
    remedy:
      "Send `Authorization: Bearer` with a key that is valid, or ask your operator for a new one.",
  },
  spending_limit_reached: {
    status: 402,
    cause: "The account's daily limit is spent, or reserved by requests that are under way.",
    remedy: "Wait for the reset that `spending.resetsAt` names, or ask your operator for more.",
  },
  forbidden: {
    status: 403,
    cause: "The API key is valid, but its account is banned or still needs to be verified.",
    remedy: "Ask your operator: another key of the same account meets the same answer.",
  },
  not_found: {
    status: 404,
    cause: "Nothing is at the address, or no event has the id or slug.",
    remedy: "Check the address. Store an event's id: its slug changes when it is renamed.",
  },
  method_not_allowed: {
    status: 405,
    cause: "The address does not know the method.",
    remedy: "Use one of those that the `Allow` header lists.",
  },
  not_acceptable: {
    status: 406,
    cause: "The `Accept` header rules out every type that the answer could have.",
    remedy: "Accept one of the types that the hint names, or send no `Accept` header.",
  },
  request_timeout: {
    status: 408,
    cause: "The request's body took too long to arrive. Nothing was done, and nothing is charged.",
    remedy: "Send it again.",
  },
  payload_too_large: {
    status: 413,
    cause: "The body is larger than the address takes.",
    remedy: "Send less, or send it in several requests.",
  },
  unsupported_media_type: {
    status: 415,
    cause: "The body has another type or encoding than the address takes.",
    remedy: "Send JSON as it is, uncompressed, with `Content-Type: application/json`.",
  },
  validation_failed: {
    status: 422,
    cause: "The body is JSON, but not what the address takes.",
    remedy: "Mend what `field` names; `errors` lists every fault at once.",
  },
  rate_limited: {
    status: 429,
    cause: "The account has sent more requests than its window allows.",
    remedy: "Wait for the seconds in `Retry-After`; `RateLimit` on every answer says what is left.",
  },
  internal_error: {
    status: 500,
    cause: "A fault of this service. Its log has the reason under the answer's `X-Request-Id`.",
    remedy: "Try again; if it keeps failing, report the `X-Request-Id`.",
  },
  server_misconfigured: {
    status: 500,
    cause: "The service lacks what it needs to answer, such as credentials.",
    remedy: "Tell its operator: no change of the request helps.",
  },
  upstream_error: {
    status: 502,
    cause: "Another service that this one needs failed, or refused this one.",
    remedy: "Try again after the seconds in `Retry-After`, or after a short delay.",
  },
  service_unavailable: {
    status: 503,
    cause:
      "The process that took the request has too many others, its database does not answer, or a newer " +
      "version of the service has written what it needs. Nothing was done.",
    remedy: "Try again after the time in Retry-After.",
  },
  upstream_timeout: {
    status: 504,
    cause: "Another service that this one needs took too long. The request may have been charged.",
    remedy: "Ask for less, or try again later; `GET /proxy/v1/usage` tells what was charged.",
  },
  upstream_overloaded: {
    status: 529,
    cause: "Another service that this one needs is overloaded.",
    remedy: "Try again after the seconds in `Retry-After`, and wait longer after each further try.",
  },
} as const;

/** The stable identifier of a kind of error. */
export type ErrorCode = keyof typeof ERRORS;

/** Every code, in the order of their statuses. */
// Object.keys loses the literal type that `ERRORS` declares.
export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];

/** What an error may add to its sentence. */
interface ErrorDetails {
  /** What the caller can change to make the request succeed. */
  readonly hint?: string;
  /** Further response headers, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the request's body is wrong, such as `questions.urgency.criteria`. */
  readonly field?: string;
  /** Every fault of the body, the first included. */
  readonly errors?: readonly FieldError[];
  /** Where the account stands, when its spending limit is reached. */
  readonly spending?: SpendingState;
  /** The reason for the log; it never leaves the service. */
  readonly cause?: unknown;
}

/** Where an account stands on its day, in USD. */
interface SpendingState {
  readonly limitUsd: number;
  readonly spentUsd: number;
  readonly reservedUsd: number;
  /** ISO 8601. */
  readonly resetsAt: string;
}

/** One fault of a body. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** An error whose sentence the caller may read. Anything else that is thrown is an `internal_error`. */
export class PublicError extends HttpError {
  override name = "PublicError";
  readonly hint: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  /** @param message what is wrong, with the value that is wrong; never a secret, never a stack. */
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: ErrorDetails = {},
  ) {
    super(ERRORS[code].status, message, { cause: details.cause });
    this.hint = details.hint;
    this.headers = details.headers ?? {};
  }

  /** The same error with further response headers. */
  withHeaders(headers: Readonly<Record<string, string>>): PublicError {
    const all = { ...headers, ...this.headers };
    return new PublicError(this.code, this.message, { ...this.details, headers: all });
  }
}

/** Whether an error says only that there is too much to do, or no time for it: nothing has failed. */
export function isBusy(error: unknown): boolean {
  return error instanceof PublicError && error.code === "service_unavailable" &&
    error.cause === undefined;
}

/**
 * The public face of anything that was thrown: a `PublicError` as it is, the framework's own 4xx by
 * their status, and every unforeseen error as an `internal_error` that says nothing of its inside.
 */
export function toPublicError(thrown: unknown): PublicError {
  if (thrown instanceof PublicError) return thrown;
  if (thrown instanceof HttpError && thrown.status < 500) {
    if (thrown.status === 404) return nothingHere();
    const code = ERROR_CODES.find((code) => ERRORS[code].status === thrown.status) ?? "bad_request";
    return new PublicError(code, "The request was not understood.", { cause: thrown });
  }
  return new PublicError("internal_error", "Something went wrong on our side.", {
    hint: "Try again; if it keeps failing, report the X-Request-Id of this answer.",
    cause: thrown,
  });
}

/** The error of an address at which nothing is. */
export function nothingHere(
  message = "Nothing is at this address.",
  hint = "The events are at /api/v1/events, the proxy is below /proxy/v1.",
): PublicError {
  return new PublicError("not_found", message, { hint });
}

/** The error body of the events contract, section 7. */
interface ErrorBody {
  readonly error: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly field?: string;
  readonly errors?: readonly FieldError[];
  readonly spending?: SpendingState;
  readonly status: number;
  readonly documentation_url: string;
}

/** The body of an error under `/api`; `baseUrl` has no trailing slash. */
export function errorBody(error: PublicError, baseUrl: string): ErrorBody {
  const { code, message, status, details: { hint, field, errors, spending } } = error;
  return {
    error: message,
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(field === undefined ? {} : { field }),
    ...(errors === undefined ? {} : { errors }),
    ...(spending === undefined ? {} : { spending }),
    status,
    documentation_url: `${baseUrl}/docs/errors#${code}`,
  };
}

/**
 * The error body under `/proxy`: the same, but `error` is the object that every official client of the
 * providers reads (with a numeric `code`), and its message holds the hint, since clients show no more.
 */
interface ProxyErrorBody extends Omit<ErrorBody, "error"> {
  readonly error: { readonly message: string; readonly type: ErrorCode; readonly code: number };
  readonly requestId: string;
}

/** The body of an error under `/proxy` and on `/up`. */
export function proxyErrorBody(
  error: PublicError,
  baseUrl: string,
  requestId: string,
): ProxyErrorBody {
  const { code, message, hint, status } = error;
  const whole = hint === undefined ? message : `${message} ${hint}`;
  return {
    ...errorBody(error, baseUrl),
    error: { message: whole, type: code, code: status },
    requestId,
  };
}
