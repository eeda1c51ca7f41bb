/** A time limit on what cannot be stopped. */

/**
 * The value of a promise, or what `late` gives or throws if it takes longer than some milliseconds. The
 * work is not stopped; what becomes of it afterwards is ignored.
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
