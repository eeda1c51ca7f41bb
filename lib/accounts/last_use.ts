/** When a key was last used: a record of its own, so that it never races with a change of the key. */

import { LRUCache } from "lru-cache";
import { getEntries, setEntry } from "../kv/mod.ts";
import type { Log } from "../telemetry/mod.ts";

/** How often one process writes the last use of one key. */
const INTERVAL_MILLISECONDS = 60_000;
/** Keys whose last record is remembered; a forgotten one is only recorded sooner. */
const MAX_KEYS = 10_000;

const lastUsedKey = (keyId: string): Deno.KvKey => ["key_last_used", keyId];

/** What {@linkcode createUseRecorder} needs. */
interface UseRecorderOptions {
  readonly kv: Deno.Kv;
  readonly log: Pick<Log, "warn">;
}

/**
 * Makes the function that records a use of a key at a moment in epoch milliseconds. It writes at most
 * once a minute for a key, in the background; a failure is logged, and tried again a minute later.
 */
export function createUseRecorder(
  { kv, log }: UseRecorderOptions,
): (keyId: string, now: number) => void {
  const recorded = new LRUCache<string, number>({ max: MAX_KEYS });

  async function write(keyId: string, now: number): Promise<void> {
    try {
      await setEntry(kv, lastUsedKey(keyId), now);
    } catch (error) {
      log.warn("the last use of a key could not be recorded", { keyId, error });
    }
  }

  return function recordUse(keyId, now) {
    // The distance, so that a clock that was set back does not stop the records.
    if (Math.abs(now - (recorded.get(keyId) ?? -Infinity)) < INTERVAL_MILLISECONDS) return;
    recorded.set(keyId, now);
    void write(keyId, now);
  };
}

/** The last uses of keys in epoch milliseconds, to the minute, in the same order; null for never. */
export async function getLastUses(
  kv: Deno.Kv,
  keyIds: readonly string[],
): Promise<(number | null)[]> {
  const entries = await getEntries<number>(kv, keyIds.map(lastUsedKey));
  return entries.map(({ value }) => value);
}
