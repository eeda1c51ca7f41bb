/** A clock that a test moves, and sleeps that end when it passes their time. */

import { setImmediate } from "node:timers/promises";

/** Turns of the event loop without work after which all work counts as done: other threads may be slow. */
const QUIET_TURNS = 150;
/** Steps of the clock after which the test fails. */
const MAX_STEPS = 2_000;

/** A clock that begins at an instant. `isBusy` tells of work that other threads do. */
export function createVirtualTime(start: number, isBusy: () => boolean = () => false) {
  let now = start;
  const sleepers = new Set<{ at: number; wake: () => void }>();
  /** Runs all work that can run without a move of the clock. */
  async function settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
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
