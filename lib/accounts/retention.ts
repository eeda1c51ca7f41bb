/** Removes old books. The caller decides how old: no clock is read here. */

import {
  beginAtomic,
  getKnownEntries,
  inFittingParts,
  listEntries,
  retryLocked,
} from "../kv/mod.ts";
import { dayKey, daysPrefix, usagePrefix, usagesPrefix } from "./books.ts";

/** A batch is removed with three checks, and a commit may have a hundred. */
const BATCHES_PER_COMMIT = 30;

/** Removes an account's day books from before a day. */
export async function removeOldDays(kv: Deno.Kv, accountId: string, before: string): Promise<void> {
  const older = { before: dayKey(accountId, before), leaveOut };
  for await (const { key } of listEntries(kv, daysPrefix(accountId), older)) {
    await retryLocked(() => kv.delete(key));
  }
}

/**
 * Removes an account's batches of usage records from before a day, except those with one of their `markers`:
 * such a batch has not been delivered.
 */
export async function removeOldUsage(
  kv: Deno.Kv,
  accountId: string,
  before: string,
  markers: (batch: string) => readonly Deno.KvKey[],
): Promise<void> {
  const older = { before: usagePrefix(accountId, before), leaveOut };
  let batches: Deno.KvEntry<unknown>[] = [];
  for await (const batch of listEntries<unknown>(kv, usagesPrefix(accountId), older)) {
    if (batches.push(batch) < BATCHES_PER_COMMIT) continue;
    await removeBatches(kv, batches, markers);
    batches = [];
  }
  await removeBatches(kv, batches, markers);
}

async function removeBatches(
  kv: Deno.Kv,
  batches: readonly Deno.KvEntry<unknown>[],
  markers: (batch: string) => readonly Deno.KvKey[],
): Promise<void> {
  const marked = batches.map((batch) => ({ batch, keys: markers(String(batch.key.at(-1))) }));
  const found = await getKnownEntries(kv, marked.flatMap(({ keys }) => keys), leaveOut);
  const absent = new Set(
    found.flatMap((entry) => entry?.versionstamp === null ? [entry.key.join("\n")] : []),
  );
  const delivered = marked.filter(({ keys }) => keys.every((key) => absent.has(key.join("\n"))));
  await inFittingParts(delivered, async (some) => {
    const operation = beginAtomic(kv);
    for (const { batch, keys } of some) {
      operation.check(batch).delete(batch.key);
      for (const key of keys) operation.check({ key, versionstamp: null });
    }
    // If a batch was written meanwhile, those with it are kept for a day longer.
    await retryLocked(() => operation.commit());
  });
}

/** Values of a newer format are left to the version that knows it. */
function leaveOut(): void {}
