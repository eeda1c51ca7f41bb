/**
 * How long records are kept. Old ones are removed once a day, by the days that the database has seen
 * (`kv/days_seen.ts`). Records that cannot be made again have no expiry in KV, because a clock that is ahead
 * would remove them early.
 */

import {
  BOOK_DAYS,
  CHANGE_DAYS,
  dayOf,
  isPaused,
  listAccounts,
  outboxKey,
  removeOldChanges,
  removeOldDays,
  removeOldNotes,
  removeOldRestrictions,
  removeOldServiceDays,
  removeOldUsage,
  setAsideKey,
  USAGE_DAYS,
  type UsageStore,
} from "../proxy/mod.ts";
import { HISTORY_DAYS, removeOldHealth } from "./health/history.ts";
import { firstDayOf, seeDay } from "../platform/kv/days_seen.ts";
import { getEntries } from "../platform/kv/list.ts";

/** Notes of the embedded store outlast the batches: a batch without its note could be inserted again. */
const NOTE_DAYS = 200;

/** Creates the function that removes old records, mostly on its first call of each day. */
export function createRetention({ kv, analyticsKv, usageStore, analyticsDays = 0, now }: {
  readonly kv: Deno.Kv;
  /** The database of the embedded analytics store; may be the same one. */
  readonly analyticsKv: Deno.Kv;
  readonly usageStore: Pick<UsageStore, "applyRetention">;
  /** Days for which the analytics store keeps records; undefined: for ever. */
  readonly analyticsDays: number | undefined;
  readonly now: () => number;
}): () => Promise<void> {
  const rememberedDays = Math.max(BOOK_DAYS, CHANGE_DAYS, analyticsDays + 1);
  /** A batch that has not been delivered has one of these markers. */
  const markers = (batch: string) => [outboxKey(batch), setAsideKey(batch)];

  async function isWaiting(batch: string): Promise<boolean> {
    const found = await getEntries(kv, markers(batch), () => {});
    return found.some(({ versionstamp }) => versionstamp !== null);
  }

  return async function removeOldRecords() {
    const { days, isNew } = await seeDay(kv, dayOf(now()), rememberedDays);
    if (isNew) await removeOldest(days);
    // While the store is paused, the job that delivers to it reports the failure.
    if (!await isPaused(kv, now())) await usageStore.applyRetention(days);
  };

  async function removeOldest(seen: readonly string[]): Promise<void> {
    const [health, usage, notes, books, changes] = [
      HISTORY_DAYS,
      USAGE_DAYS,
      NOTE_DAYS,
      BOOK_DAYS,
      CHANGE_DAYS,
    ].map((count) => firstDayOf(seen, count));
    if (health) await removeOldHealth(kv, health);
    if (notes) await removeOldNotes(analyticsKv, notes, isWaiting);
    if (!usage) return;
    if (books) await removeOldServiceDays(kv, books);
    if (books) await removeOldRestrictions(kv, books);
    // A newer version removes the books of accounts that only it can read.
    for await (const { id } of listAccounts(kv, () => {})) {
      await removeOldUsage(kv, id, usage, markers);
      if (books) await removeOldDays(kv, id, books);
      if (changes) await removeOldChanges(kv, id, changes);
    }
  }
}
