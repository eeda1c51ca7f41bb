/** Time limits on work that cannot be stopped, and long work in slices. */

/** Runs `work` after some milliseconds; the returned function cancels that. */
export type StartTimer = (work: () => void, milliseconds: number) => () => void;

/** Starts a timer of the platform. */
export const startRealTimer: StartTimer = (work, milliseconds) => {
  const timer = setTimeout(work, milliseconds);
  return () => clearTimeout(timer);
};

/** Limits from this length on share a timer. */
const LONG_MILLISECONDS = 10_000;
/** The shared timer ends a limit at most this much late. */
const LATENESS_MILLISECONDS = 1_000;

/** A limit of at least {@linkcode LONG_MILLISECONDS}. */
interface Limit {
  readonly work: () => void;
  readonly endsAt: number;
  /** Its index among the limits. */
  place: number;
}

/**
 * Makes the function that starts the time limits of a process. Each timer of the platform takes time from a request,
 * and hardly any work reaches its limit. So one timer watches all limits of ten seconds or more; each fires at most a
 * second late.
 *
 * @param now milliseconds, by a clock that is never set back.
 */
export function createLimits(
  startTimer: StartTimer = startRealTimer,
  now: () => number = () => performance.now(),
): StartTimer {
  // A Set outgrows its tables with every few requests, and each table refers to the next one. So once V8 holds one for
  // old, all later ones and the requests in them stay in memory until its next full collection.
  const limits: Limit[] = [];
  let isWatching = false;

  function watch(): void {
    isWatching = limits.length > 0;
    if (isWatching) startTimer(endLate, LATENESS_MILLISECONDS);
  }

  function endLate(): void {
    for (const limit of limits.filter(({ endsAt }) => endsAt <= now())) {
      if (remove(limit)) limit.work();
    }
    watch();
  }

  /** Removes a limit, whose place the last one takes; false if it is not there any more. */
  function remove(limit: Limit): boolean {
    if (limits[limit.place] !== limit) return false;
    const last = limits.pop();
    if (last !== undefined && last !== limit) limits[last.place = limit.place] = last;
    return true;
  }

  return (work, milliseconds) => {
    if (milliseconds < LONG_MILLISECONDS) return startTimer(work, milliseconds);
    const limit = { work, endsAt: now() + milliseconds, place: limits.length };
    limits.push(limit);
    if (!isWatching) watch();
    return () => void remove(limit);
  };
}

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
      await yieldToLoop();
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
 * Lets waiting requests run, unless they had their turn less than so many milliseconds before. By a timer, because it
 * leaves them more time than the next turn of the loop would.
 */
export async function yieldToLoop(milliseconds = SLICE_MILLISECONDS): Promise<void> {
  if (performance.now() - turnedAt < milliseconds) return;
  await new Promise((resolve) => setTimeout(resolve, 0));
  turnedAt = performance.now();
}
