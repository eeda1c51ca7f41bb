/** Time limits that pass when a test lets them, however slow the machine is. */

import type { StartTimer } from "../../lib/timeout.ts";
import { until } from "./until.ts";

/** Time limits that have begun, but not ended. */
export interface HeldLimits {
  readonly start: StartTimer;
  /** Waits for a limit of so many milliseconds to begin, and lets it pass. */
  expire(milliseconds: number): Promise<void>;
  /** Lets the limits of so many milliseconds pass that have begun, if there are any. */
  lapse(milliseconds: number): void;
  /** Lets the limits of so many milliseconds pass until some work is done; returns its result. */
  lapseDuring<T>(milliseconds: number, work: Promise<T>): Promise<T>;
}

/** Makes the `startLimit` of a platform. */
export function holdLimits(): HeldLimits {
  const held = new Map<() => void, number>();
  const begun = (milliseconds: number) =>
    [...held].filter(([, limit]) => limit === milliseconds).map(([end]) => end);
  function lapse(milliseconds: number): void {
    for (const end of begun(milliseconds)) {
      held.delete(end);
      end();
    }
  }
  return {
    start(work, milliseconds) {
      const end = () => work();
      held.set(end, milliseconds);
      return () => void held.delete(end);
    },
    async expire(milliseconds) {
      await until(() => begun(milliseconds).length > 0);
      lapse(milliseconds);
    },
    lapse,
    async lapseDuring(milliseconds, work) {
      let isDone = false;
      const done = work.finally(() => isDone = true);
      await until(() => {
        lapse(milliseconds);
        return isDone;
      });
      return await done;
    },
  };
}
