/** How long a failing store is left alone. It is kept in the database, so it holds for all isolates. */

import { getEntry, retryLocked, setEntry } from "../kv/mod.ts";

/** What is remembered of a store that fails. */
export interface Pause {
  /** Epoch milliseconds. */
  readonly until: number;
  /** In a row. */
  readonly failures: number;
  /** What the last of them was; absent in what older versions wrote. */
  readonly reason?: string;
}

const PAUSE: Deno.KvKey = ["analytics", "pause"];
/** Deliveries come every minute: the first failure skips none. */
const FIRST_MILLISECONDS = 30_000;
const LONGEST_MILLISECONDS = 15 * 60_000;

/** The pause that is kept, or null if the last attempt went well. */
export async function getPause(kv: Deno.Kv): Promise<Pause | null> {
  return (await getEntry<Pause>(kv, PAUSE)).value;
}

/** Whether the store is to be left alone now. */
export async function isPaused(kv: Deno.Kv, now: number): Promise<boolean> {
  const until = (await getPause(kv))?.until ?? 0;
  // A clock that went far back must not make the pause longer than it ever is.
  return until > now && until <= now + LONGEST_MILLISECONDS;
}

/** Lengthens the pause: 30 seconds, then twice as long each time, up to a quarter of an hour. */
export async function countFailure(
  kv: Deno.Kv,
  { message: reason }: Error,
  now: number,
): Promise<void> {
  const failures = ((await getPause(kv))?.failures ?? 0) + 1;
  const length = Math.min(LONGEST_MILLISECONDS, FIRST_MILLISECONDS * 2 ** (failures - 1));
  const pause: Pause = { until: now + length, failures, reason };
  await setEntry(kv, PAUSE, pause);
}

/** Forgets the failures: the store works. */
export async function endPause(kv: Deno.Kv): Promise<void> {
  if (await getPause(kv) !== null) await retryLocked(() => kv.delete(PAUSE));
}
