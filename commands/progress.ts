/** A progress line on a terminal, removed when the work is done. */

import type { Workplace } from "./frame.ts";

/** Shorter work shows no progress. */
const QUIET_MILLISECONDS = 1_000;
const EVERY_MILLISECONDS = 250;
/** Returns to the start of the line and clears it. */
const CLEAR_LINE = "\r\u001b[K";

/**
 * Does the work, and shows its progress if that takes longer than a second.
 *
 * @param describe returns the line for the number that the work last reported.
 */
export async function withProgress<T>(
  terminal: Workplace["terminal"],
  describe: (count: number) => string,
  work: (report: (count: number) => void) => Promise<T>,
  quietMilliseconds = QUIET_MILLISECONDS,
): Promise<T> {
  if (terminal === undefined) return await work(() => {});
  const startedAt = performance.now();
  let count = 0;
  let isShown = false;
  const timer = setInterval(() => {
    if (performance.now() - startedAt < quietMilliseconds) return;
    isShown = true;
    terminal(CLEAR_LINE + describe(count));
  }, Math.min(EVERY_MILLISECONDS, quietMilliseconds));
  try {
    return await work((reported) => count = reported);
  } finally {
    clearInterval(timer);
    if (isShown) terminal(CLEAR_LINE);
  }
}
