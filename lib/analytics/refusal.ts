/**
 * Refusals: requests of a known key that Foyer itself refused. They reached no provider, cost nothing and have no
 * usage record. They are kept to show members the reasons, and need not be exact: equal ones of an hour are one value
 * with a count, and if an account has too many kinds, only the codes are kept.
 */

import type { ErrorCode } from "../http/mod.ts";
import { HOUR_MILLISECONDS } from "../time.ts";

/** For how many days stores keep refusals. */
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
export interface Refusal {
  readonly accountId: string;
  /** Null, like the endpoint, if only the code is kept. */
  readonly keyId: string | null;
  readonly endpoint: string | null;
  /** An {@linkcode ErrorCode}, or one that only a newer version knows. */
  readonly code: string;
  readonly reason: string | null;
  readonly field: string | null;
  readonly requests: number;
  /** Epoch milliseconds of the first and of the last one. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** The properties by which refused requests are equal. */
export function kindOf(
  { keyId, endpoint, code, reason, field }: Omit<Refusal, "requests" | "firstAt" | "lastAt">,
): string {
  return `${code} ${reason} ${endpoint} ${keyId} ${field}`;
}

/** A refusal reduced to its code: an account has few codes, so few such refusals. */
export function onlyCode(refusal: Refusal): Refusal {
  return { ...refusal, keyId: null, endpoint: null, reason: null, field: null };
}

/** Adds a refusal to the sum stored under `name`. */
export function addRefusal(sums: Map<string, Refusal>, name: string, refusal: Refusal): void {
  const sum = sums.get(name) ?? { ...refusal, requests: 0 };
  sums.set(name, {
    ...sum,
    requests: sum.requests + refusal.requests,
    firstAt: Math.min(sum.firstAt, refusal.firstAt),
    lastAt: Math.max(sum.lastAt, refusal.lastAt),
  });
}

/**
 * Merges an account's equal refusals of one hour. The latest `max` stay whole; the others keep only their codes.
 *
 * @returns the latest first.
 */
export function mergeRefusals(refusals: readonly Refusal[], max = Infinity): Refusal[] {
  const whole = new Map<string, Refusal>();
  const codes = new Map<string, Refusal>();
  for (const refusal of refusals) {
    if (refusal.keyId === null) addRefusal(codes, refusal.code, refusal);
    else {
      const hour = Math.floor(refusal.lastAt / HOUR_MILLISECONDS);
      addRefusal(whole, `${hour} ${kindOf(refusal)}`, refusal);
    }
  }
  const latest = [...whole.values()].sort(byTime);
  for (const refusal of latest.splice(max)) addRefusal(codes, refusal.code, onlyCode(refusal));
  return [...latest, ...codes.values()].sort(byTime);
}

function byTime(a: Refusal, b: Refusal): number {
  return b.lastAt - a.lastAt;
}
