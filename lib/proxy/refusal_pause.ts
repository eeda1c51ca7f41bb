/**
 * Refusals that wait. Answered at once, those who try again at once keep the processor from the requests
 * that were admitted.
 */

/** The waiting before a refusal is answered. */
export interface RefusalPause {
  /** What is refused for want of room waits as long as its caller is then told to wait. */
  forRoom(): Promise<void>;
  /** What is above its account's rate limit waits if the account goes on asking all the same. */
  forRate(accountId: string): Promise<void>;
}

/** What {@linkcode createRefusalPause} needs. */
export interface RefusalPauseOptions {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

const PAUSE_MILLISECONDS = 1_000;
/** Those who come on top are refused at once: what waits takes room too. */
const MAX_WAITING = 4_000;
/** So many 429s of an account in a second do not wait: many workers that heed `Retry-After` get no more. */
const QUICK_RATE_REFUSALS = 20;

/** Makes the pauses of one process; none is longer than two seconds. */
export function createRefusalPause({ now, sleep }: RefusalPauseOptions): RefusalPause {
  let waiting = 0;
  let second = 0;
  /** This second's 429s, by account. */
  let rateRefusals = new Map<string, number>();

  async function wait(milliseconds: number): Promise<void> {
    if (waiting >= MAX_WAITING) return;
    waiting++;
    await sleep(milliseconds);
    waiting--;
  }

  return {
    forRoom: () => wait(PAUSE_MILLISECONDS),
    async forRate(accountId) {
      const current = Math.floor(now() / 1000);
      if (current !== second) [second, rateRefusals] = [current, new Map()];
      const count = (rateRefusals.get(accountId) ?? 0) + 1;
      rateRefusals.set(accountId, count);
      // Spread, so that those who came together do not come back together.
      if (count > QUICK_RATE_REFUSALS) await wait(PAUSE_MILLISECONDS * (1 + Math.random()));
    },
  };
}
