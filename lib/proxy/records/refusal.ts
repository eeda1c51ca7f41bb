/**
 * Refusals: requests of a known key that Foyer itself refused. They reached no provider, cost nothing and have no
 * usage record. They are kept to show members the reasons, and need not be exact: equal ones of an hour are one value
 * with a count, and if an account has too many kinds, only the codes are kept, with a count for each day.
 */

import { type ErrorCode, ERRORS } from "../../platform/http/errors.ts";
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from "../../platform/time.ts";

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

/** Equal refused requests. */
export interface Refusal extends Pick<RefusedRequest, "accountId" | "reason" | "field"> {
  /** Null, like the endpoint, if only the code is kept. */
  readonly keyId: string | null;
  readonly endpoint: string | null;
  /** An {@linkcode ErrorCode}, or one that only a newer version knows. */
  readonly code: string;
  readonly requests: number;
  /** Epoch milliseconds of the first and of the last one. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/**
 * Merges an account's equal refusals. The latest `max` stay whole; the others keep only their codes, of which an
 * account has few.
 *
 * @returns the latest first.
 */
export function mergeRefusals(refusals: readonly Refusal[], max = Infinity): Refusal[] {
  const merged = foldAll(refusals);
  const rest = new Set(merged.filter(({ keyId }) => keyId !== null).slice(max));
  if (rest.size === 0) return merged;
  const onlyCode = { keyId: null, endpoint: null, reason: null, field: null };
  return foldAll(merged.map((each) => rest.has(each) ? { ...each, ...onlyCode } : each));
}

function foldAll(refusals: readonly Refusal[]): Refusal[] {
  const kinds = new Map<string, Refusal>();
  for (const refusal of refusals) foldRefusal(kinds, refusal);
  return [...kinds.values()].sort((a, b) => b.lastAt - a.lastAt);
}

/**
 * Adds a refusal to those of its kind and hour, or of its kind and day if only the code is kept.
 *
 * @param max the most kinds; false is returned, and nothing is added, for one more.
 */
export function foldRefusal(
  kinds: Map<string, Refusal>,
  refusal: Refusal,
  max = Infinity,
): boolean {
  const { accountId, keyId, endpoint, code, reason, field, requests, firstAt, lastAt } = refusal;
  const period = Math.floor(lastAt / (keyId === null ? DAY_MILLISECONDS : HOUR_MILLISECONDS));
  const name = `${period} ${accountId} ${code} ${reason} ${endpoint} ${keyId} ${field}`;
  const known = kinds.get(name);
  if (known === undefined && kinds.size >= max) return false;
  const sum = known ?? { ...refusal, requests: 0 };
  kinds.set(name, {
    ...sum,
    requests: sum.requests + requests,
    firstAt: Math.min(sum.firstAt, firstAt),
    lastAt: Math.max(sum.lastAt, lastAt),
  });
  return true;
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
