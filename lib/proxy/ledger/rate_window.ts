/**
 * The sliding window of the rate limit: how many requests were admitted when, in a value small enough to be written
 * with every admission. Admissions within one slot (1/119 of the window) count at the time of the latest. So the
 * limit is never exceeded, and an admission counts for less than one slot too long.
 */

import type { LedgerValue } from "./values.ts";

/** The rate limit: `requests` in any `windowSeconds`. */
export interface RatePolicy {
  readonly requests: number;
  readonly windowSeconds: number;
}

/** The requests that the rate limit still allows. */
export interface RateState {
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /**
   * Epoch milliseconds at which one more request is allowed: when the oldest counted request (or several,
   * if the limit was lowered) leaves the window; null while none counts.
   */
  readonly resetsAt: number | null;
}

type Window = LedgerValue["rate"];

/** A window that begins within a slot touches one more: 120. */
const SLOTS = 119;

/** The state of a window at a moment (epoch milliseconds). */
export function rateStateAt(window: Window, policy: RatePolicy, now: number): RateState {
  const { requests: limit, windowSeconds } = policy;
  let count = 0;
  for (let slot = 0; slot < window.length; slot += 2) {
    if (isLive(window[slot] ?? 0, policy, now)) count += window[slot + 1] ?? 0;
  }
  const remaining = Math.max(0, limit - count);
  let resetsAt = null;
  for (let slot = 0; slot < window.length; slot += 2) {
    const at = window[slot] ?? 0;
    if (!isLive(at, policy, now)) continue;
    count -= window[slot + 1] ?? 0;
    resetsAt = Math.min(at, now) + windowSeconds * 1000;
    if (count < limit) break;
  }
  return { limit, windowSeconds, remaining, resetsAt };
}

/** The window with one more request, and without those that have left it. */
export function countRequest(window: Window, policy: RatePolicy, now: number): Window {
  const slotMilliseconds = policy.windowSeconds * 1000 / SLOTS;
  const counted: number[] = [];
  function count(at: number, requests: number): void {
    const last = counted.length - 2;
    const before = counted[last];
    const isSame = before !== undefined &&
      Math.floor(before / slotMilliseconds) === Math.floor(at / slotMilliseconds);
    if (!isSame) {
      counted.push(at, requests);
      return;
    }
    counted[last] = at;
    counted[last + 1] = (counted[last + 1] ?? 0) + requests;
  }
  for (let slot = 0; slot < window.length; slot += 2) {
    const at = window[slot] ?? 0;
    if (isLive(at, policy, now)) count(Math.min(at, now), window[slot + 1] ?? 0);
  }
  count(now, 1);
  return counted;
}

/**
 * Whether a slot still counts. A time in the future (the clock was set back) counts as now. A time beyond a whole
 * window is ignored: it would lock the caller out for as long as the clock was wrong.
 */
function isLive(at: number, { windowSeconds }: RatePolicy, now: number): boolean {
  return Math.abs(at - now) < windowSeconds * 1000;
}
