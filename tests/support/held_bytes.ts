/** How much memory this process holds, without what only waits for the collector. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** The resident bytes after a collection: how much garbage lay about before it is the collector's choice. */
export function heldBytes(): number {
  collectGarbage();
  return Deno.memoryUsage().rss;
}
