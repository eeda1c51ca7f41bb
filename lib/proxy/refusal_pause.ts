/**
 * Delays before refusals. Answered at once, callers who retry at once would take the processor's time from the
 * requests that were admitted.
 */

/** The delays before refusals are answered. */
interface RefusalPause {
  /** Before a 503 for lack of room: as long as its `Retry-After`. */
  forRoom(): Promise<void>;
  /** Before a 429: none, unless the account has got many of them in this second. */
  forRate(accountId: string): Promise<void>;
}

/** What {@linkcode createRefusalPause} needs. */
interface RefusalPauseOptions {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

const PAUSE_MILLISECONDS = 1_000;
/** With so many refusals waiting, further ones are answered at once: waiting takes memory too. */
const MAX_WAITING = 4_000;
/** So many 429s of an account in a second are not delayed: workers that heed `Retry-After` get no more. */
export const QUICK_RATE_REFUSALS = 20;

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
