/** A clock that a test moves, and sleepers that wake when it has passed their time. */

/** Virtual time in epoch milliseconds. */
export interface VirtualTime {
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  /** Moves the clock (also back) and lets everything run that can. */
  advance(milliseconds: number): Promise<void>;
  /** Lets everything run that can without the clock moving. */
  settle(): Promise<void>;
}

/** A clock that begins at an instant. */
export function createVirtualTime(start: number): VirtualTime {
  let now = start;
  const sleepers = new Set<{ at: number; wake: () => void }>();
  // KV and compression answer from other threads: their turns are real, and few are enough.
  async function settle(): Promise<void> {
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return {
    now: () => now,
    sleep: (milliseconds) => new Promise((wake) => sleepers.add({ at: now + milliseconds, wake })),
    async advance(milliseconds) {
      now += milliseconds;
      for (const sleeper of sleepers) {
        if (sleeper.at > now) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
      await settle();
    },
    settle,
  };
}
