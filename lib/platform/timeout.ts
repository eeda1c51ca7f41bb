/** Time limits on work that cannot be stopped, and long work in slices. */

/** Runs `work` after some milliseconds; the returned function cancels that. */
export type StartTimer = (work: () => void, milliseconds: number) => () => void;

/** Starts a timer of the platform. */
export const startRealTimer: StartTimer = (work, milliseconds) => {
  const timer = setTimeout(work, milliseconds);
  return () => clearTimeout(timer);
};

/** How much later than asked for a limit may pass. */
const LATENESS_MILLISECONDS = 100;

/** What runs at each multiple of {@linkcode LATENESS_MILLISECONDS} by `performance.now()`. */
const limits = new Map<number, Set<() => void>>();

/**
 * Starts a time limit that is nearly always cancelled, as each request has several. The limits of a process that pass
 * at about the same time share a timer, because a timer of its own costs as much as parsing a small body. A limit does
 * not keep the process alive.
 */
export const startLimit: StartTimer = (work, milliseconds) => {
  const at = Math.ceil((performance.now() + milliseconds) / LATENESS_MILLISECONDS);
  const together = limits.get(at) ?? beginTick(at);
  // The same work may have several limits.
  const end = () => work();
  together.add(end);
  return () => together.delete(end);
};

/** Begins to collect what runs at one time. */
function beginTick(at: number): Set<() => void> {
  const together = new Set<() => void>();
  limits.set(at, together);
  const timer = setTimeout(() => {
    limits.delete(at);
    for (const end of together) end();
  }, at * LATENESS_MILLISECONDS - performance.now());
  Deno.unrefTimer(timer);
  return together;
}

/**
 * The value of a promise, or the result or error of `late` after some milliseconds. The work continues, and its
 * outcome is then ignored.
 */
export async function withTimeout<T>(
  milliseconds: number,
  work: Promise<T>,
  late: () => T,
  start: StartTimer = startLimit,
): Promise<T> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const cancel = start(resolve, milliseconds);
  try {
    return await Promise.race([work, over.then(late)]);
  } finally {
    cancel();
  }
}

/** A slice delays the requests that arrive during it, by less than most of them take anyway. */
const SLICE_MILLISECONDS = 0.5;
/** The most items between two looks at the clock. */
const SLICE_ITEMS = 20;

/** When waiting requests last had their turn, by `performance.now()`: an isolate has one event loop. */
let turnedAt = -Infinity;

/** Visits items as `Array.forEach` does, in slices. */
export async function forEachInSlices<T>(
  items: readonly T[],
  visit: (item: T, at: number) => void,
): Promise<void> {
  for (const [at, item] of items.entries()) {
    if (at % SLICE_ITEMS === 0 && at > 0) await nextTurn();
    visit(item, at);
  }
}

/** Maps items as `Array.map` does, in slices. */
export async function mapInSlices<T, R>(
  items: readonly T[],
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
