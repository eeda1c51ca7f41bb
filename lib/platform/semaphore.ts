/** A bound on how many tasks of a kind run at once. */

/** Lets at most `count` tasks run at once; the others wait in order. */
export function createSemaphore(count: number): <T>(task: () => Promise<T>) => Promise<T> {
  let free = count;
  const waiting: (() => void)[] = [];
  return async function inTurn(task) {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
