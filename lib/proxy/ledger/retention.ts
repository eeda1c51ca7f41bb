/** How long books are kept, and how old ones are removed. Days that the database has seen count: no clock is read. */

import { beginAtomic } from "../../platform/kv/write.ts";
import { daysSeen, firstDayOf } from "../../platform/kv/days_seen.ts";
import { inFittingParts } from "../../platform/kv/commit_size.ts";
import { listEntries } from "../../platform/kv/list.ts";
import { retryLocked } from "../../platform/kv/open.ts";
import { capDaysPrefix, daysPrefix, usagePrefix, usagesPrefix } from "./books.ts";

/** Day books hold the sums that bills are made from. */
export const BOOK_DAYS = 400;
/** Batches of usage records; after that, only the analytics store has them. */
export const USAGE_DAYS = 100;
/** Removing a batch takes three checks, and a commit may have a hundred. */
const BATCHES_PER_COMMIT = 30;

/** The first day whose usage records are certainly complete; null if none were removed. */
export async function booksAreWholeFrom(kv: Deno.Kv): Promise<string | null> {
  return firstDayOf(await daysSeen(kv), USAGE_DAYS);
}

/** Removes an account's day books, and the days of its keys' caps, from before a day. */
export async function removeOldDays(kv: Deno.Kv, accountId: string, before: string): Promise<void> {
  for (const prefix of [daysPrefix(accountId), capDaysPrefix(accountId)]) {
    const older = { before: [...prefix, before], leaveOut };
    for await (const { key } of listEntries(kv, prefix, older)) {
      await retryLocked(() => kv.delete(key));
    }
  }
}

/**
 * Removes an account's batches of usage records from before a day. A batch that has one of its `markers` has
 * not been delivered, and stays.
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
  async function remove(some: readonly Deno.KvEntry<unknown>[]): Promise<boolean> {
    const operation = beginAtomic(kv);
    for (const batch of some) {
      operation.check(batch).delete(batch.key);
      for (const key of markers(String(batch.key.at(-1)))) {
        operation.check({ key, versionstamp: null });
      }
    }
    return (await retryLocked(() => operation.commit())).ok;
  }
  await inFittingParts(batches, async (some) => {
    if (some.length === 0 || await remove(some)) return;
    // One of them has a marker, or was written meanwhile.
    for (const batch of some) await remove([batch]);
  });
}

/** Values of a newer format are left to the version that knows it. */
function leaveOut(): void {}
