/**
 * Delays before refusals. Without them, callers who retry immediately would take processor time from the
 * admitted requests.
 */

/** The delays of a process. */
interface RefusalPause {
  /** Before a 503 for too many requests: as long as its `Retry-After`. */
  forCapacity(): Promise<void>;
  /** Before a 429: none, unless the account got many of them in this second. */
  forRate(accountId: string): Promise<void>;
}

/** What {@linkcode createRefusalPause} needs. */
interface RefusalPauseOptions {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

const PAUSE_MILLISECONDS = 1_000;
/** The largest number of waiting refusals, which take memory. Further ones are immediate. */
const MAX_WAITING = 4_000;
/** The immediate 429s of an account in a second; workers that heed `Retry-After` get no more. */
export const QUICK_RATE_REFUSALS = 20;

/** Makes the delays of a process; none is longer than two seconds. */
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
    forCapacity: () => wait(PAUSE_MILLISECONDS),
    async forRate(accountId) {
      const current = Math.floor(now() / 1000);
      if (current !== second) [second, rateRefusals] = [current, new Map()];
      const count = (rateRefusals.get(accountId) ?? 0) + 1;
      rateRefusals.set(accountId, count);
      // Spread, so that simultaneous callers do not return simultaneously.
      if (count > QUICK_RATE_REFUSALS) await wait(PAUSE_MILLISECONDS * (1 + Math.random()));
    },
  };
}
