/**
 * Refusals that wait. Answered at once, those who try again at once keep the processor from the requests
 * that were admitted.
 */

import { isBusy, PublicError } from "../http/errors.ts";

/** Waits before an error is answered, if it must; `accountId` is null while nobody knows whose it is. */
export type RefusalPause = (error: unknown, accountId: string | null) => Promise<void>;

/** What {@linkcode createRefusalPause} needs; the chance is the real one by default. */
export interface RefusalPauseOptions {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly random?: () => number;
}

/** As long as a refusal for want of room tells its caller to wait. */
const PAUSE_MILLISECONDS = 1_000;
/** Those who come on top are refused at once: what waits takes room too. */
const MAX_WAITING = 4_000;
/** So many 429s of an account in a second do not wait: many workers that heed `Retry-After` get no more. */
const QUICK_RATE_REFUSALS = 20;

/** Makes it. What has no room waits for a second; 429s of an account that has had many, for one to two. */
export function createRefusalPause(
  { now, sleep, random = Math.random }: RefusalPauseOptions,
): RefusalPause {
  let waiting = 0;
  let second = 0;
  /** This second's 429s, by account. */
  let rateRefusals = new Map<string, number>();

  /** Whether an account goes on asking though it was told when to come back. */
  function isHammering(accountId: string): boolean {
    const current = Math.floor(now() / 1000);
    if (current !== second) [second, rateRefusals] = [current, new Map()];
    const count = (rateRefusals.get(accountId) ?? 0) + 1;
    rateRefusals.set(accountId, count);
    return count > QUICK_RATE_REFUSALS;
  }

  function pauseOf(error: unknown, accountId: string | null): number {
    if (isBusy(error)) return PAUSE_MILLISECONDS;
    const isRateLimited = error instanceof PublicError && error.code === "rate_limited";
    // Spread, so that those who came together do not come back together.
    return isRateLimited && accountId !== null && isHammering(accountId)
      ? PAUSE_MILLISECONDS * (1 + random())
      : 0;
  }

  return async function pauseBefore(error, accountId) {
    const milliseconds = pauseOf(error, accountId);
    if (milliseconds === 0 || waiting >= MAX_WAITING) return;
    waiting++;
    await sleep(milliseconds);
    waiting--;
  };
}
