/**
 * The public errors: one type, one table. Code throws a `PublicError`; the root middleware answers it.
 * Events contract, section 7: every error has a stable code, a sentence, and the status in the body.
 */

import { HttpError } from "fresh";

/** Every code that an error may have, with its status (which the contract leaves open). */
export const ERRORS = {
  bad_request: {
    status: 400,
    meaning: "Something in the request was not understood; the hint names what would be.",
  },
  unauthorized: {
    status: 401,
    meaning: "The address needs an API key, and got none that is valid.",
  },
  spending_limit_reached: {
    status: 402,
    meaning:
      "The account's daily limit is spent or reserved. The message says how much, and when the day resets.",
  },
  forbidden: { status: 403, meaning: "The API key is valid, but may not do this." },
  not_found: { status: 404, meaning: "Nothing is at the address, or no event has the id or slug." },
  method_not_allowed: {
    status: 405,
    meaning: "The address does not know the method; the Allow header lists those that it knows.",
  },
  not_acceptable: { status: 406, meaning: "The Accept header rules out every type of the answer." },
  request_timeout: {
    status: 408,
    meaning: "The request's body took too long to arrive. Nothing was done: send it again.",
  },
  payload_too_large: { status: 413, meaning: "The body is larger than the address takes." },
  unsupported_media_type: {
    status: 415,
    meaning: "The body has another type or encoding than the address takes.",
  },
  validation_failed: {
    status: 422,
    meaning: "The body is JSON, but not what the address takes; `field` names where.",
  },
  rate_limited: {
    status: 429,
    meaning: "Too many requests of this account. Try again after the time in Retry-After.",
  },
  internal_error: {
    status: 500,
    meaning: "A fault of this service. It is in its log under the answer's X-Request-Id.",
  },
  server_misconfigured: {
    status: 500,
    meaning:
      "The service lacks what it needs to answer, such as credentials; its operator can help.",
  },
  upstream_error: {
    status: 502,
    meaning: "Another service that this one needs failed. Try again after the time in Retry-After.",
  },
  service_unavailable: {
    status: 503,
    meaning: "This process is about to end. Try again: another one answers.",
  },
  upstream_timeout: {
    status: 504,
    meaning:
      "Another service that this one needs took too long. The request may have been charged.",
  },
  upstream_overloaded: {
    status: 529,
    meaning: "Another service that this one needs is overloaded. Try again after a short delay.",
  },
} as const;

/** The stable identifier of a kind of error. */
export type ErrorCode = keyof typeof ERRORS;

/** Every code, in the order of their statuses. */
// Object.keys loses the literal type that `ERRORS` declares.
export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];

/** What an error may add to its sentence. */
export interface ErrorDetails {
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
export interface SpendingState {
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
export interface ErrorBody {
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
export interface ProxyErrorBody extends Omit<ErrorBody, "error"> {
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
