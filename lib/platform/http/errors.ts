/**
 * The public errors: one type, one table. Code throws a `PublicError`, and the root middleware answers it
 * (`static/docs/events.md`, "Errors").
 */

import { isDatabaseFailure } from "../kv/open.ts";

/** How long a 404 may be cached: an event may be announced at any time. Other errors are never cached. */
export const NOT_FOUND_MAX_AGE_SECONDS = 60;

/**
 * Every error code: its status, its cause, and the caller's remedy. `/docs/errors` shows this table, with
 * {@linkcode operatorInWords} for `{{operator}}`.
 */
export const ERRORS = {
  bad_request: {
    status: 400,
    cause: "Something in the request is invalid, such as an unknown parameter or malformed JSON.",
    remedy: "Change the part that the message names; the hint lists what is allowed.",
  },
  unauthorized: {
    status: 401,
    cause:
      "The address requires an API key, and the request has none or one that is mistyped, revoked or expired.",
    remedy:
      "Send `Authorization: Bearer <key>` with a valid key, or ask {{operator}} for a new one.",
  },
  spending_limit_reached: {
    status: 402,
    cause:
      "The daily limit of the account, of the key or of the whole service is spent, or reserved by requests in " +
      "progress; `spending.scope` says which.",
    remedy: "Wait for the reset at `spending.resetsAt`, or ask {{operator}} for a higher limit.",
  },
  forbidden: {
    status: 403,
    cause:
      "The API key is valid, but its account is banned or not yet verified, or the key may not use the endpoint.",
    remedy:
      "Ask {{operator}}. Another key of the same account helps only if the message is about the endpoint.",
  },
  not_found: {
    status: 404,
    cause: "The address does not exist, or no event has the id or slug.",
    remedy: "Check the address. Store an event's id: its slug changes when the event is renamed.",
  },
  method_not_allowed: {
    status: 405,
    cause: "The address does not support the method.",
    remedy: "Use a method that the `Allow` header lists.",
  },
  not_acceptable: {
    status: 406,
    cause: "The `Accept` header excludes every available type.",
    remedy: "Accept a type that the hint names, or send no `Accept` header.",
  },
  request_timeout: {
    status: 408,
    cause: "The request's body took too long to arrive. Nothing was done or charged.",
    remedy: "Send the request again.",
  },
  gone: {
    status: 410,
    cause: "The event of this page was withdrawn.",
    remedy: "Look for another event on the home page. The API has 404 in this case.",
  },
  payload_too_large: {
    status: 413,
    cause: "The body is larger than the address accepts.",
    remedy: "Send less, or several requests.",
  },
  unsupported_media_type: {
    status: 415,
    cause: "The address does not accept the body's type or encoding.",
    remedy: "Send uncompressed JSON with `Content-Type: application/json`.",
  },
  validation_failed: {
    status: 422,
    cause: "The body is JSON, but breaks the address's rules.",
    remedy: "Fix the field named in `field`; `errors` lists every fault.",
  },
  rate_limited: {
    status: 429,
    cause: "The account has sent more requests than its rate limit allows.",
    remedy:
      "Wait for the seconds in `Retry-After`; `RateLimit` on every response shows what is left.",
  },
  too_many_open: {
    status: 429,
    cause:
      "Other requests of the account are in progress, and the estimate of this one does not fit below what they " +
      "leave of a daily limit.",
    remedy:
      "Wait for the seconds in `Retry-After`; when those requests end, more of the limit is free.",
  },
  internal_error: {
    status: 500,
    cause: "This service has a fault. Its log has the reason under the response's `X-Request-Id`.",
    remedy: "Try again. If the error persists, report the `X-Request-Id`.",
  },
  server_misconfigured: {
    status: 500,
    cause: "The service lacks a setting that the request needs, such as an API key.",
    remedy: "Report the error to {{operator}}. A different request does not help.",
  },
  upstream_error: {
    status: 502,
    cause: "Another service that this one needs failed, or refused the request.",
    remedy: "Try again after the seconds in `Retry-After`, or after a short delay.",
  },
  service_unavailable: {
    status: 503,
    cause:
      "The process is overloaded, its database is not responding, or a newer version of the service wrote " +
      "the data that the request needs. Nothing was charged.",
    remedy: "Try again after the seconds in `Retry-After`.",
  },
  upstream_timeout: {
    status: 504,
    cause: "Another service that this one needs took too long. The request may have been charged.",
    remedy: "Ask for less, or try again later; `GET /proxy/v1/usage` shows what was charged.",
  },
  upstream_overloaded: {
    status: 529,
    cause: "Another service that this one needs is overloaded.",
    remedy: "Try again after the seconds in `Retry-After`, and wait longer after each attempt.",
  },
} as const;

/** The stable identifier of a kind of error. */
export type ErrorCode = keyof typeof ERRORS;

/** Every code, in the order of the statuses. */
// Object.keys loses the literal type that `ERRORS` declares.
export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];

/** Whom a sentence tells to ask: the operator, with the address of `SITE_CONTACT` if there is one. */
export function operatorInWords(contact: string | undefined): string {
  if (contact === undefined) return "the operator of this service";
  return `the operator of this service (${plainAddress(contact) ?? contact})`;
}

/** The address in a `mailto:` URI, or the number in a `tel:` URI; undefined for any other, such as one with a subject. */
function plainAddress(uri: string): string | undefined {
  return /^(?:mailto|tel):([^?%,]+)$/.exec(uri)?.[1];
}

/** The optional parts of an error. All but the headers and the cause are members of its body. */
interface ErrorDetails {
  /** How the caller can make the request succeed. */
  readonly hint?: string;
  /** The path of the body's first fault, such as `questions.urgency.criteria`. */
  readonly field?: string;
  /** Every fault of the body, the first included. */
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
  /** The day in USD, when a spending limit is reached. */
  readonly spending?: {
    /** Whose limit is reached. The amounts are those of the account, or of the key if its own limit is reached. */
    readonly scope: "account" | "key" | "service";
    readonly limitUsd: number;
    readonly spentUsd: number;
    readonly reservedUsd: number;
    /** ISO 8601. */
    readonly resetsAt: string;
  };
  /** Further response headers, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The reason for the log; it never leaves the service. */
  readonly cause?: unknown;
}

/** An error whose message the caller may read. Anything else that is thrown is an `internal_error`. */
export class PublicError extends Error {
  override name = "PublicError";
  readonly status: number;
  readonly hint: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  /** @param message the fault, with the wrong value; never a secret, never a stack. */
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: ErrorDetails = {},
  ) {
    super(message, { cause: details.cause });
    this.status = ERRORS[code].status;
    this.hint = details.hint;
    this.headers = details.headers ?? {};
  }

  /** The same error with further response headers; its own win. */
  withHeaders(headers: Readonly<Record<string, string>>): PublicError {
    const all = { ...headers, ...this.headers };
    return new PublicError(this.code, this.message, { ...this.details, headers: all });
  }
}

/** Whether an error reports overload: nothing has failed. */
export function isBusy(error: unknown): boolean {
  return error instanceof PublicError && error.code === "service_unavailable" &&
    error.cause === undefined;
}

/**
 * The public error for anything that was thrown: a `PublicError` unchanged, a failure of the database as such, and
 * every unforeseen error as an `internal_error` that reveals nothing.
 */
export function toPublicError(thrown: unknown): PublicError {
  if (thrown instanceof PublicError) return thrown;
  if (isDatabaseFailure(thrown)) return databaseDown(thrown);
  return new PublicError("internal_error", "Something failed inside this service.", {
    hint: "Try again. If the error persists, report the X-Request-Id of this response.",
    cause: thrown,
  });
}

/** The error of a request that needs a database which cannot be used. `seconds` says when to try again. */
export function databaseDown(
  cause: unknown,
  { hint = "Try again in a minute.", seconds = 60 }: { hint?: string; seconds?: number } = {},
): PublicError {
  return new PublicError("service_unavailable", "The database is not responding.", {
    hint,
    headers: { "retry-after": String(seconds) },
    cause,
  });
}

/** An error's message, and its hint after it. */
export function errorInWords({ message, hint }: PublicError): string {
  return hint === undefined ? message : `${message} ${hint}`;
}

/** The error of an address that does not exist. */
export function nothingHere(
  message = "Nothing is at this address.",
  hint = "The events are at /api/v1/events, and the proxy is below /proxy/v1.",
): PublicError {
  return new PublicError("not_found", message, { hint });
}

/** The body of an error under `/api` (`static/docs/events.md`, "Errors"); `baseUrl` has no trailing slash. */
export function errorBody({ code, message, status, details }: PublicError, baseUrl: string) {
  const { headers: _headers, cause: _cause, ...shown } = details;
  const documentation_url = `${baseUrl}/docs/errors#${code}`;
  return { error: message, code, message, ...shown, status, documentation_url };
}

/**
 * The body of an error under `/proxy` and on `/up`: `error` is the object that the providers' official clients read
 * (with a numeric `code`), and its message includes the hint, which clients do not show by itself.
 */
export function proxyErrorBody(error: PublicError, baseUrl: string, requestId: string) {
  const { code, status } = error;
  return {
    ...errorBody(error, baseUrl),
    error: { message: errorInWords(error), type: code, code: status },
    requestId,
  };
}
