/** Time limits and pauses that end when a test says so. */

import { until } from "./until.ts";

/** Timers that run when a test says so: limits and pauses of clients and of Foyer take no time. */
export interface HeldTimers extends Disposable {
  /** Waits until somebody waits for so many milliseconds, and ends that wait. */
  expire(milliseconds: number): Promise<void>;
  /** Ends the waits of so many milliseconds that have begun, if there are any. */
  lapse(milliseconds: number): void;
}

/** Holds every timer of a tenth of a second or more; shorter ones run as ever. */
export function holdTimers(): HeldTimers {
  const { setTimeout, clearTimeout } = globalThis;
  const held = new Map<unknown, { milliseconds: number; run: () => void }>();
  globalThis.setTimeout =
    ((run: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]) => {
      if (milliseconds < 100) return setTimeout(run, milliseconds, ...args);
      const handle = {};
      held.set(handle, { milliseconds, run: () => run(...args) });
      return handle;
      // Whoever gets a handle only ever hands it back.
    }) as typeof setTimeout;
  globalThis.clearTimeout = (handle) => {
    if (!held.delete(handle)) clearTimeout(handle);
  };
  const waits = (milliseconds: number) =>
    [...held].filter(([, timer]) => timer.milliseconds === milliseconds);
  function lapse(milliseconds: number): void {
    for (const [handle, { run }] of waits(milliseconds)) {
      held.delete(handle);
      run();
    }
  }
  return {
    async expire(milliseconds) {
      await until(() => waits(milliseconds).length > 0);
      lapse(milliseconds);
    },
    lapse,
    [Symbol.dispose]: () => void Object.assign(globalThis, { setTimeout, clearTimeout }),
  };
}
