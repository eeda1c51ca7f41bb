/** How much memory a test holds, without what only waits for the collector. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
/** Collects at once. */
export const collectGarbage: () => void = runInNewContext("gc");

/**
 * The bytes of this isolate's objects and buffers after a collection. The process's resident memory would
 * be that of the test files beside this one, too.
 */
export function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}
