/**
 * The proof that the database is shared and lasting. On Deno Deploy an app without an assigned database may get one
 * for each isolate, which is lost with it, and no variable shows this. An account is the proof: only the command-line
 * tools create the first one, on another machine, so this process can read it only from a database that both share.
 */

import { hasEntries } from "../platform/kv/list.ts";
import type { Platform } from "../platform/platform.ts";

/** How soon a process looks for the proof again. */
const RECHECK_MILLISECONDS = 5_000;

/** Whether the database holds an account: one read. */
export function hasAccount(kv: Deno.Kv): Promise<boolean> {
  return hasEntries(kv, ["account"]);
}

/**
 * Creates the function that looks for the proof and remembers that it was found. The service must not take money, or
 * create an account by itself, while it returns false.
 *
 * @param isNeeded false where every database is known to last: nothing is read then.
 */
export function createDurabilityCheck(
  { kv, isNeeded, now }: Pick<Platform, "kv" | "now"> & { readonly isNeeded: boolean },
): () => boolean | Promise<boolean> {
  let isProven = !isNeeded;
  let missedAt = -Infinity;
  async function look(): Promise<boolean> {
    isProven = await hasAccount(kv);
    if (!isProven) missedAt = now();
    return isProven;
  }
  return function isDatabaseLasting() {
    if (isProven) return true;
    return Math.abs(now() - missedAt) < RECHECK_MILLISECONDS ? false : look();
  };
}
