/** The latest requests of an account, from the ledger's own records: they are there as soon as a request is charged. */

import { dayOf, daysUntil, usagePrefix, type UsageRecord } from "../accounts/mod.ts";
import { listLatestEntries } from "../kv/mod.ts";

/**
 * The latest requests of an account, the latest first. Batches are named after the time of their commit, so of each day
 * only the last ones are read.
 *
 * @param now epoch milliseconds.
 */
export async function listLatestRequests(
  kv: Deno.Kv,
  accountId: string,
  { days, count, now }: { readonly days: number; readonly count: number; readonly now: number },
): Promise<UsageRecord[]> {
  const found: UsageRecord[] = [];
  for (const day of daysUntil(dayOf(now), days)) {
    // Each batch has a record at least.
    const prefix = usagePrefix(accountId, day);
    for (const batch of await listLatestEntries<readonly UsageRecord[]>(kv, prefix, count)) {
      found.push(...batch);
    }
    if (found.length >= count) break;
  }
  return found.toSorted((a, b) => b.at - a.at).slice(0, count);
}
