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
  const live = liveSlots(window, policy, now);
  let count = 0;
  for (let slot = 0; slot < live.length; slot += 2) count += live[slot + 1] ?? 0;
  const remaining = Math.max(0, limit - count);
  let resetsAt = null;
  for (let slot = 0; slot < live.length; slot += 2) {
    count -= live[slot + 1] ?? 0;
    resetsAt = (live[slot] ?? 0) + windowSeconds * 1000;
    if (count < limit) break;
  }
  return { limit, windowSeconds, remaining, resetsAt };
}

/** The window with one more request, and without those that have left it. */
export function countRequest(window: Window, policy: RatePolicy, now: number): Window {
  const slotMilliseconds = policy.windowSeconds * 1000 / SLOTS;
  const slotOf = (at: number) => Math.floor(at / slotMilliseconds);
  const live = liveSlots(window, policy, now);
  live.push(now, 1);
  const counted: number[] = [];
  for (let slot = 0; slot < live.length; slot += 2) {
    const [at = 0, requests = 0] = [live[slot], live[slot + 1]];
    const last = counted.length - 2;
    if (last < 0 || slotOf(counted[last] ?? 0) !== slotOf(at)) {
      counted.push(at, requests);
    } else {
      counted[last] = at;
      counted[last + 1] = (counted[last + 1] ?? 0) + requests;
    }
  }
  return counted;
}

/**
 * The slots that still count, the oldest first. A time in the future (the clock was set back) counts as now. A time
 * beyond a whole window is ignored: it would lock the caller out for as long as the clock was wrong.
 */
function liveSlots(window: Window, { windowSeconds }: RatePolicy, now: number): number[] {
  const live: number[] = [];
  for (let slot = 0; slot < window.length; slot += 2) {
    const at = window[slot] ?? 0;
    if (Math.abs(at - now) < windowSeconds * 1000) {
      live.push(Math.min(at, now), window[slot + 1] ?? 0);
    }
  }
  return live;
}
