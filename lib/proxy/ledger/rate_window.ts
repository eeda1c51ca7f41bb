/**
 * The sliding window of the rate limit: when requests were admitted, in a value small enough to be
 * written with every admission. Admissions within one slot (a second, or 1/1800 of a longer window) share one
 * entry, at the time of the latest. So the limit is never exceeded, and an admission counts for less than one
 * slot too long.
 */

/** The rate limit: `requests` in any `windowSeconds`. */
export interface RatePolicy {
  readonly requests: number;
  readonly windowSeconds: number;
}

/**
 * The admissions of a window, oldest first, as pairs of a time (milliseconds after `base`) and a count.
 */
export interface RateWindow {
  /** Epoch milliseconds. */
  readonly base: number;
  readonly entries: Uint32Array<ArrayBuffer>;
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

const SLOTS = 1800;

/** The window before the first request. */
export const EMPTY_WINDOW: RateWindow = { base: 0, entries: new Uint32Array() };

/** The state of a window at a moment (epoch milliseconds). */
export function rateStateAt(window: RateWindow, policy: RatePolicy, now: number): RateState {
  const { requests: limit, windowSeconds } = policy;
  const [from, to] = liveRange(window, policy, now);
  let count = 0;
  for (let index = from; index < to; index++) count += requestsAt(window, index);
  const remaining = Math.max(0, limit - count);
  let resetsAt = null;
  for (let index = from; resetsAt === null && index < to; index++) {
    count -= requestsAt(window, index);
    if (count < limit) resetsAt = Math.min(now, timeAt(window, index)) + windowSeconds * 1000;
  }
  return { limit, windowSeconds, remaining, resetsAt };
}

/** The window with one more request, and without those that have left it. */
export function countRequest(window: RateWindow, policy: RatePolicy, now: number): RateWindow {
  const slotMilliseconds = Math.max(1, policy.windowSeconds / SLOTS) * 1000;
  const [from, to] = liveRange(window, policy, now);
  const base = from < to ? Math.min(now, timeAt(window, from)) : now;
  const entries = new Uint32Array(2 * (to - from + 1));
  let [slot, length] = [-1, 0];
  function add(at: number, requests: number): void {
    const slotOfAt = Math.floor(at / slotMilliseconds);
    if (slotOfAt !== slot) length += 2;
    slot = slotOfAt;
    entries[length - 2] = at - base;
    entries[length - 1] = (entries[length - 1] ?? 0) + requests;
  }
  for (let index = from; index < to; index++) {
    add(Math.min(now, timeAt(window, index)), requestsAt(window, index));
  }
  add(now, 1);
  return { base, entries: entries.slice(0, length) };
}

/**
 * The entries that still count: the index of the first, and the index after the last. A time in the future
 * (the clock was set back) counts as now. A time beyond a whole window is ignored: it would lock the caller
 * out for as long as the clock was wrong.
 */
function liveRange(window: RateWindow, policy: RatePolicy, now: number): [number, number] {
  const milliseconds = policy.windowSeconds * 1000;
  let [from, to] = [0, window.entries.length / 2];
  while (from < to && timeAt(window, from) <= now - milliseconds) from++;
  while (from < to && timeAt(window, to - 1) >= now + milliseconds) to--;
  return [from, to];
}

function timeAt({ base, entries }: RateWindow, index: number): number {
  return base + (entries[2 * index] ?? 0);
}

function requestsAt({ entries }: RateWindow, index: number): number {
  return entries[2 * index + 1] ?? 0;
}
