/**
 * Refusals: requests of a known key that Foyer itself refused. They reached no provider, cost nothing and have no
 * usage record. They are counted by day, code and reason; and by endpoint, key and field, unless an account has too many
 * kinds in a day.
 */

import { type ErrorCode, ERRORS } from "../../platform/http/errors.ts";
import { dayOf } from "../../platform/utc_days.ts";

/** For how many days refusals are kept. */
export const REFUSAL_DAYS = 14;

/** A refused request. It holds nothing of the body, and no address. */
export interface RefusedRequest {
  readonly accountId: string;
  readonly keyId: string;
  readonly endpoint: string;
  readonly code: ErrorCode;
  /** Which limit was reached, or the fault of the key or the account; null if the code is enough. */
  readonly reason: string | null;
  /** The path of the body's field at fault, without names that the caller chose; null if there is none. */
  readonly field: string | null;
}

/** Equal refused requests of a day. */
export interface Refusal extends Pick<RefusedRequest, "accountId" | "reason" | "field"> {
  /** Null, like the endpoint and the field, if only the code and the reason are kept. */
  readonly keyId: string | null;
  readonly endpoint: string | null;
  /** An {@linkcode ErrorCode}, or one that only a newer version knows. */
  readonly code: string;
  readonly requests: number;
  /** Epoch milliseconds of the last one. */
  readonly lastAt: number;
}

/**
 * Adds a refusal to those of its kind.
 *
 * @param max from this number of kinds on, only the day, the code and the reason of new ones are kept: an account has
 *   few of these.
 */
export function addRefusal(kinds: Map<string, Refusal>, refusal: Refusal, max: number): void {
  const name = nameOf(refusal);
  if (kinds.size >= max && !kinds.has(name) && refusal.keyId !== null) {
    return addRefusal(kinds, { ...refusal, keyId: null, endpoint: null, field: null }, max);
  }
  const { requests, lastAt } = kinds.get(name) ?? { requests: 0, lastAt: 0 };
  kinds.set(name, {
    ...refusal,
    requests: requests + refusal.requests,
    lastAt: Math.max(lastAt, refusal.lastAt),
  });
}

function nameOf({ accountId, keyId, endpoint, code, reason, field, lastAt }: Refusal): string {
  return [dayOf(lastAt), accountId, code, reason, endpoint, keyId, field].join(" ");
}

/** The status of an error's code; null for one that only a newer version knows. */
export function statusOfCode(code: string): string | null {
  // The wider type: a stored text need not be one of these codes.
  const known: Readonly<Record<string, { readonly status: number }>> = ERRORS;
  return Object.hasOwn(known, code) ? String(known[code]?.status) : null;
}

/** By the code and the reason, or by the code alone. */
const WORDS: ReadonlyMap<string, string> = new Map(Object.entries({
  "unauthorized revoked": "The key was revoked",
  "unauthorized leaked": "The key was revoked, because it was reported as leaked",
  "unauthorized expired": "The key has expired",
  "unauthorized": "The key does not work",
  "spending_limit_reached account": "The account's daily limit was reached",
  "spending_limit_reached key": "The key's own daily limit was reached",
  "spending_limit_reached service": "The daily limit of all accounts together was reached",
  "spending_limit_reached": "A daily limit was reached",
  "forbidden banned": "The account is banned",
  "forbidden withdrawn": "The account's owner is no longer admitted",
  "forbidden unverified": "The account is not verified",
  "forbidden endpoint": "The key may not use this endpoint",
  "forbidden": "The account may not use the proxy",
  "bad_request": "The body is not valid JSON",
  "request_timeout": "The body took too long to arrive",
  "payload_too_large": "The body was too large",
  "unsupported_media_type": "The body was not sent as JSON",
  "validation_failed": "The body is invalid",
  "rate_limited": "The rate limit was reached",
  "too_many_open": "Requests in progress left too little of a daily limit",
  "service_unavailable busy": "There were too many requests at once",
  "service_unavailable": "The service was not available",
}));

/** A refusal in words, without a full stop; the code, if a newer version wrote it. */
export function refusalInWords(
  { code, reason, field = null }:
    & Pick<Refusal, "code" | "reason">
    & Partial<Pick<Refusal, "field">>,
): string {
  const words = WORDS.get(`${code} ${reason}`) ?? WORDS.get(code) ?? code;
  return field === null ? words : `${words}: ${field}`;
}
