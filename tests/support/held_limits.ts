/** Time limits that pass when a test lets them, however slow the machine is. */

import type { StartTimer } from "../../lib/platform/timeout.ts";
import { until, whileDoing } from "./until.ts";

/** Makes the `startLimit` of a platform. */
export function holdLimits() {
  const held = new Map<() => void, number>();
  const begun = (milliseconds: number) =>
    [...held].filter(([, limit]) => limit === milliseconds).map(([end]) => end);
  /** Lets the limits of so many milliseconds pass that have begun, if there are any. */
  function lapse(milliseconds: number): void {
    for (const end of begun(milliseconds)) {
      held.delete(end);
      end();
    }
  }
  const start: StartTimer = (work, milliseconds) => {
    const end = () => work();
    held.set(end, milliseconds);
    return () => void held.delete(end);
  };
  return {
    start,
    /** The number of limits of so many milliseconds that have begun. */
    count: (milliseconds: number) => begun(milliseconds).length,
    /** Waits for a limit of so many milliseconds to begin, and lets it pass. */
    async expire(milliseconds: number): Promise<void> {
      await until(() => begun(milliseconds).length > 0);
      lapse(milliseconds);
    },
    lapse,
    /** Lets the limits of so many milliseconds pass until some work is done; returns its result. */
    lapseDuring: <T>(milliseconds: number, work: Promise<T>) =>
      whileDoing(work, () => lapse(milliseconds)),
  };
}
