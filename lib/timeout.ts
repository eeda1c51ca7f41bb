/** A time limit on work that cannot be stopped. */

/**
 * The value of a promise, or the result or error of `late` after some milliseconds. The work goes on, and its
 * outcome is then ignored.
 */
export async function withTimeout<T>(
  milliseconds: number,
  work: Promise<T>,
  late: () => T,
): Promise<T> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  try {
    return await Promise.race([work, over.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
