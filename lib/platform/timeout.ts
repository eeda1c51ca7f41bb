/** Time limits on work that cannot be stopped, and long work in slices. */

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
export function withTimeout<T>(
  milliseconds: number,
  work: Promise<T>,
  late: () => T,
  start: StartTimer = startRealTimer,
): Promise<T> {
  // A race of promises would take twice as long.
  return new Promise((resolve, reject) => {
    const cancel = start(() => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    }, milliseconds);
    work.then((value) => {
      cancel();
      resolve(value);
    }, (error) => {
      cancel();
      reject(error);
    });
  });
}

/** A slice delays the requests that arrive during it, by less than most of them take anyway. */
const SLICE_MILLISECONDS = 1;

/** When waiting requests last had their turn, by `performance.now()`: an isolate has one event loop. */
let turnedAt = -Infinity;

/** Visits items as `Array.forEach` does, in slices. */
export async function forEachInSlices<T>(
  items: Iterable<T>,
  visit: (item: T, at: number) => void,
): Promise<void> {
  let at = 0;
  let since = performance.now();
  for (const item of items) {
    if (performance.now() - since >= SLICE_MILLISECONDS) {
      await nextTurn();
      since = performance.now();
    }
    visit(item, at++);
  }
}

/** Maps items as `Array.map` does, in slices. */
export async function mapInSlices<T, R>(
  items: Iterable<T>,
  map: (item: T, at: number) => R,
): Promise<R[]> {
  const results: R[] = [];
  await forEachInSlices(items, (item, at) => results.push(map(item, at)));
  return results;
}

/**
 * Lets waiting requests run, unless they had their turn just before. By a timer, because it leaves them more time than
 * the next turn of the loop would.
 */
export async function nextTurn(): Promise<void> {
  if (performance.now() - turnedAt < SLICE_MILLISECONDS) return;
  await new Promise((resolve) => setTimeout(resolve, 0));
  turnedAt = performance.now();
}
