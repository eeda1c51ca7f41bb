/** The time of a key's last use. It is a separate value, so that it never conflicts with a change of the key. */

import { LRUCache } from "lru-cache";
import { getEntries } from "../platform/kv/list.ts";
import { setEntry } from "../platform/kv/write.ts";
import type { Log } from "../platform/log.ts";

/** The shortest interval between two writes of one key by one process. */
const INTERVAL_MILLISECONDS = 60_000;
/** Keys whose last write is remembered. A forgotten key is merely written again sooner. */
const MAX_KEYS = 10_000;

const lastUsedKey = (keyId: string): Deno.KvKey => ["key_last_used", keyId];

/**
 * Creates the function that records a use of a key at a moment in epoch milliseconds. It writes each key at
 * most once a minute, in the background; a failed write is logged, and tried again a minute later.
 */
export function createUseRecorder(
  { kv, log }: { readonly kv: Deno.Kv; readonly log: Pick<Log, "warn"> },
): (keyId: string, now: number) => void {
  const recorded = new LRUCache<string, number>({ max: MAX_KEYS });

  return function recordUse(keyId, now) {
    // The difference is absolute, so that recording continues after the clock is set back.
    if (Math.abs(now - (recorded.get(keyId) ?? -Infinity)) < INTERVAL_MILLISECONDS) return;
    recorded.set(keyId, now);
    setEntry(kv, lastUsedKey(keyId), now).catch((error: unknown) =>
      log.warn("The last use of a key could not be recorded.", { keyId, error })
    );
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
