/** Pauses before a refusal, which a test ends. */

import { whileDoing } from "./until.ts";

/** Whether a sleep is such a pause: one to two seconds, drawn by lot, unlike the whole milliseconds of all others. */
const isHeld = (milliseconds: number) => !Number.isInteger(milliseconds) && milliseconds > 1_000;
/**
 * The time limits of requests for model lists, the health report and events, which no such test reaches. A signal
 * ends them, which distinguishes them from pauses of the same length.
 */
const WAITS: readonly number[] = [2_000, 10_000, 25_000, 60_000];

/**
 * A `sleep` whose time limits never pass. Every other sleep is the pause before a retry, and takes no time, however
 * long it is: a retry that never came would keep the ledger's `flush` waiting.
 */
export function skipPauses(milliseconds: number, signal?: AbortSignal): Promise<void> {
  const isWait = signal !== undefined && WAITS.includes(milliseconds);
  return isWait ? new Promise(() => {}) : Promise.resolve();
}

/** Makes a `sleep` for a platform. */
export function holdPauses() {
  let pauses: (() => void)[] = [];
  function end(): void {
    const ended = pauses;
    pauses = [];
    for (const resolve of ended) resolve();
  }
  return {
    /** A sleep that is neither of these nor the wait for events is the pause before a retry, and ends at once. */
    sleep: (milliseconds: number, signal?: AbortSignal) =>
      isHeld(milliseconds)
        ? new Promise<void>((resolve) => pauses.push(resolve))
        : skipPauses(milliseconds, signal),
    /** Ends pauses until some work is done; returns its result. */
    passDuring: <T>(work: Promise<T>) => whileDoing(work, end),
  };
}
