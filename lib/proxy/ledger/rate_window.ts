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
  for (const [, requests] of live) count += requests;
  const remaining = Math.max(0, limit - count);
  let resetsAt = null;
  for (const [at, requests] of live) {
    count -= requests;
    resetsAt = at + windowSeconds * 1000;
    if (count < limit) break;
  }
  return { limit, windowSeconds, remaining, resetsAt };
}

/** The window with one more request, and without those that have left it. */
export function countRequest(window: Window, policy: RatePolicy, now: number): Window {
  const slotMilliseconds = policy.windowSeconds * 1000 / SLOTS;
  const slotOf = (at: number) => Math.floor(at / slotMilliseconds);
  const counted: Window[number][] = [];
  for (const slot of [...liveSlots(window, policy, now), [now, 1] as const]) {
    const last = counted.at(-1);
    if (last === undefined || slotOf(last[0]) !== slotOf(slot[0])) counted.push(slot);
    else counted[counted.length - 1] = [slot[0], last[1] + slot[1]];
  }
  return counted;
}

/**
 * The slots that still count, the oldest first. A time in the future (the clock was set back) counts as now. A time
 * beyond a whole window is ignored: it would lock the caller out for as long as the clock was wrong.
 */
function liveSlots(window: Window, { windowSeconds }: RatePolicy, now: number): Window {
  const live = window.filter(([at]) => Math.abs(at - now) < windowSeconds * 1000);
  const last = live.at(-1);
  if (last === undefined || last[0] <= now) return live;
  return live.map(([at, requests]) => [Math.min(at, now), requests]);
}
