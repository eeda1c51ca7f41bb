/** Waits for work elsewhere. */

import { withTimeout } from "../../lib/platform/timeout.ts";

const LIMIT_MILLISECONDS = 120_000;

/**
 * Lets the event loop turn until a condition holds.
 *
 * @throws {Error} after two minutes, which tells a test that hangs from one that is slow.
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const never = () => {
    throw new Error(`never: ${condition}`);
  };
  const deadline = performance.now() + LIMIT_MILLISECONDS;
  while (!await withTimeout(LIMIT_MILLISECONDS, Promise.resolve(condition()), never)) {
    if (performance.now() > deadline) never();
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Takes a step again and again until some work is done; returns its result. */
export async function whileDoing<T>(work: Promise<T>, step: () => void): Promise<T> {
  let isDone = false;
  const done = work.finally(() => isDone = true);
  await until(() => {
    step();
    return isDone;
  });
  return await done;
}
