/**
 * How long records are kept. Most expire by themselves. Those that bills are made from are removed by this job, one day
 * at a time: the day until which everything is removed is stored, and moves by at most one day a day. So a clock that
 * is wrong for a while costs one day.
 */

import { removeOldAuditEntries } from "../accounts/audit_log.ts";
import { removeOldFormerAccounts } from "../accounts/owner.ts";
import { dayBefore, dayOf } from "../platform/utc_days.ts";
import { BOOK_DAYS, removeDay } from "../proxy/ledger/retention.ts";
import { beginAtomic, commit } from "../platform/kv/write.ts";
import { getEntry } from "../platform/kv/list.ts";
import type { Platform } from "../platform/platform.ts";

/** How far the removal has come. */
interface Removal {
  /** The first day that is kept, `2026-11-21`. */
  readonly until: string;
  /** The day of the last run. */
  readonly ranOn: string;
}

const KEY: Deno.KvKey = ["removed_until"];

/** Removes old records, on the first call of each day. */
export async function removeOldRecords({ kv, now }: Pick<Platform, "kv" | "now">): Promise<void> {
  const today = dayOf(now());
  const entry = await getEntry<Removal>(kv, KEY);
  if (entry.value?.ranOn === today) return;
  const wanted = dayBefore(today, BOOK_DAYS);
  // A new database has nothing to remove. A day ahead of the wanted one is from a clock that was ahead.
  const until = entry.value?.until ?? wanted;
  const isDue = until < wanted;
  const next: Removal = { until: isDue ? dayBefore(until, -1) : wanted, ranOn: today };
  if (isDue) {
    await removeDay(kv, until);
    await removeOldFormerAccounts(kv, next.until);
    await removeOldAuditEntries(kv, next.until);
  }
  const operation = beginAtomic(kv).check(entry).set(KEY, { ...entry.value, ...next });
  await commit(operation);
}
