/**
 * The sliding window of the rate limit: when requests were admitted, in a value small enough to be
 * written with every admission. Times within one slot (a second, or 1/1800 of a longer window) are kept
 * as one entry at the latest of them, so the limit is never passed, and by less than a slot too strict.
 */

/** What is allowed: `requests` in any `windowSeconds`. */
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

/** Where a caller stands. */
export interface RateState {
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Epoch milliseconds at which the oldest counted request leaves the window; null while none counts. */
  readonly resetsAt: number | null;
}

const SLOTS = 1800;

/** The window before the first request. */
export const EMPTY_WINDOW: RateWindow = { base: 0, entries: new Uint32Array() };

/** Where a caller stands at a moment (epoch milliseconds). */
export function rateStateAt(window: RateWindow, policy: RatePolicy, now: number): RateState {
  const live = liveEntries(window, policy, now);
  const count = live.reduce((sum, [, requests]) => sum + requests, 0);
  const [oldest] = live[0] ?? [];
  return {
    limit: policy.requests,
    windowSeconds: policy.windowSeconds,
    remaining: Math.max(0, policy.requests - count),
    resetsAt: oldest === undefined ? null : oldest + policy.windowSeconds * 1000,
  };
}

/** The window with one more request, and without those that have left it. */
export function countRequest(window: RateWindow, policy: RatePolicy, now: number): RateWindow {
  const live = liveEntries(window, policy, now);
  const slot = Math.max(1, policy.windowSeconds / SLOTS) * 1000;
  const last = live.at(-1);
  if (last !== undefined && Math.floor(last[0] / slot) === Math.floor(now / slot)) {
    live[live.length - 1] = [Math.max(now, last[0]), last[1] + 1];
  } else live.push([now, 1]);
  const base = live[0]?.[0] ?? now;
  const entries = new Uint32Array(live.length * 2);
  live.forEach(([at, requests], index) => entries.set([at - base, requests], index * 2));
  return { base, entries };
}

function liveEntries(window: RateWindow, policy: RatePolicy, now: number): [number, number][] {
  const live: [number, number][] = [];
  const opensAt = now - policy.windowSeconds * 1000;
  for (let index = 0; index < window.entries.length; index += 2) {
    // A clock that went back must not lock anybody for longer than a window.
    const at = Math.min(now, window.base + (window.entries[index] ?? 0));
    if (at > opensAt) live.push([at, window.entries[index + 1] ?? 0]);
  }
  return live;
}
