/** Time limits on work that cannot be stopped. */

/** Runs `work` after some milliseconds; the returned function cancels that. */
export type StartTimer = (work: () => void, milliseconds: number) => () => void;

/** Starts a timer of the platform. */
export const startRealTimer: StartTimer = (work, milliseconds) => {
  const timer = setTimeout(work, milliseconds);
  return () => clearTimeout(timer);
};

/**
 * The value of a promise, or the result or error of `late` after some milliseconds. The work continues, and its
 * outcome is then ignored.
 */
export async function withTimeout<T>(
  milliseconds: number,
  work: Promise<T>,
  late: () => T,
  startLimit: StartTimer = startRealTimer,
): Promise<T> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const cancel = startLimit(resolve, milliseconds);
  try {
    return await Promise.race([work, over.then(late)]);
  } finally {
    cancel();
  }
}
