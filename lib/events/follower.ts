/** The reads that notifications ask for. */

import type { Renewal } from "./renewal.ts";
import { MAX_LAG_MILLISECONDS } from "./values.ts";

/** The shortest wait for the read that a notification asks for. */
const POLL_MILLISECONDS = 100;

/** Makes the functions that have the store read after notifications. */
export function createFollower(
  { renew, report, pause, freshness }: Renewal,
  now: () => number,
  sleep: (milliseconds: number) => Promise<void>,
) {
  let isFollowing = false;
  let hasNew = false;

  /** Reads the store when it is due; waits for a read that a notification asks for, but no longer than `longest`. */
  async function follow(longest: number): Promise<void> {
    for (const since = now();;) {
      await renew(undefined, () => {});
      const { isAwaited = false, dueAt = 0 } = freshness() ?? {};
      const left = Math.max(POLL_MILLISECONDS, dueAt - now());
      if (!isAwaited || now() + left - since > longest) return;
      await sleep(left);
    }
  }

  /** Follows a notification that was stored, together with others that come meanwhile. */
  async function followNew(): Promise<void> {
    hasNew = true;
    if (isFollowing) return;
    isFollowing = true;
    while (hasNew) {
      hasNew = false;
      try {
        await follow(MAX_LAG_MILLISECONDS);
      } catch (error) {
        report(error);
        // One that came before the failure, or comes during the pause, is served after it.
        await sleep(pause());
      }
    }
    isFollowing = false;
  }

  return { follow, followNew };
}
