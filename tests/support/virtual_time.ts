/** A clock that a test moves, and sleeps that end when it passes their time. */

import { setImmediate } from "node:timers/promises";

/** Steps of the clock after which the test fails. */
const MAX_STEPS = 2_000;

/**
 * A clock that begins at an instant. `isBusy` tells of work that other threads do; after so many turns of the event
 * loop without it, all work counts as done, because some of it may not be told of.
 */
export function createVirtualTime(start: number, isBusy: () => boolean, quietTurns = 150) {
  let now = start;
  const sleepers = new Set<{ at: number; wake: () => void }>();
  /** Runs all work that can run without a move of the clock. */
  async function settle(): Promise<void> {
    for (let quiet = 0; quiet < quietTurns; quiet++) {
      await setImmediate();
      if (isBusy()) quiet = 0;
    }
  }
  /** Moves the clock (also back), and runs all work that can run. */
  async function advance(milliseconds: number): Promise<void> {
    now += milliseconds;
    for (const sleeper of sleepers) {
      if (sleeper.at > now) continue;
      sleepers.delete(sleeper);
      sleeper.wake();
    }
    await settle();
  }
  return {
    /** Epoch milliseconds. */
    now: () => now,
    sleep: (milliseconds: number) =>
      new Promise<void>((wake) => sleepers.add({ at: now + milliseconds, wake })),
    advance,
    /** Moves the clock on from the end of one sleep to the next, for so many milliseconds in all. */
    async run(milliseconds: number): Promise<void> {
      const end = now + milliseconds;
      await settle();
      for (;;) {
        const next = Math.min(...[...sleepers].map(({ at }) => at));
        if (next > end) break;
        await advance(Math.max(0, next - now));
      }
      await advance(end - now);
    },
    settle,
    /** Runs all work until a condition holds, without a move of the clock. */
    async until(condition: () => boolean): Promise<void> {
      while (!condition()) await setImmediate();
    },
    /** Moves the clock by steps until a promise is settled, and returns its result. */
    async through<T>(promise: Promise<T>, step = 250): Promise<T> {
      let settled = false;
      const end = () => settled = true;
      promise.then(end, end);
      await settle();
      for (let steps = 0; !settled; steps++) {
        if (steps === MAX_STEPS) throw new Error(`not settled after ${steps} steps of ${step} ms`);
        await advance(step);
      }
      return await promise;
    },
  };
}
