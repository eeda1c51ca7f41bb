/** Long work in slices, between which waiting requests run. */

/** A slice delays the requests that arrive during it: by less than a response takes through the network. */
const SLICE_MILLISECONDS = 2;

/** Maps items as `Array.map` does, in slices of about two milliseconds. */
export async function mapInSlices<T, R>(
  items: readonly T[],
  map: (item: T, at: number) => R,
): Promise<R[]> {
  const results: R[] = [];
  let sliceEnds = performance.now() + SLICE_MILLISECONDS;
  for (const [at, item] of items.entries()) {
    if (performance.now() >= sliceEnds) {
      await nextTurn();
      sliceEnds = performance.now() + SLICE_MILLISECONDS;
    }
    results.push(map(item, at));
  }
  return results;
}

/** Lets waiting requests run. A timer, because it leaves them more time than the next turn of the loop would. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
