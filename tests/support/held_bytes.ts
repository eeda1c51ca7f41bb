/** The garbage collector, and the memory that a test holds after a collection. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/**
 * The bytes of this isolate's objects and buffers after a collection. The process's resident memory would
 * be that of the test files beside this one, too.
 */
export function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

/** Collects garbage after a few turns of the event loop. */
export async function collectForTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    collectGarbage();
  }
}
