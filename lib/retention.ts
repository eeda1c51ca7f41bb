/**
 * How long records are kept. What is old enough goes once a day, by the days that the database has seen
 * (`kv/days_seen.ts`): nothing that cannot be made again has a lifetime in KV, which a clock that is ahead
 * would end early.
 */

import { dayOf, listAccounts, outboxKey, removeOldDays, removeOldUsage } from "./accounts/mod.ts";
import { asideKey, isPaused, removeOldNotes, type UsageStore } from "./analytics/mod.ts";
import { HISTORY_DAYS, removeOldHealth } from "./health/mod.ts";
import { firstDayOf, getKnownEntries, seeDay } from "./kv/mod.ts";

/** A day book: it has the sums of which bills are made. */
const BOOK_DAYS = 400;
/** A page of usage records, after which the analytics store alone has them. */
const USAGE_DAYS = 100;
/** The embedded store's note of a page: longer than the page, which could be handed over again. */
const NOTE_DAYS = 200;

/** What removing needs. */
interface RetentionOptions {
  readonly kv: Deno.Kv;
  /** Where the embedded analytics store is; may be the same database. */
  readonly analyticsKv: Deno.Kv;
  readonly usageStore: Pick<UsageStore, "applyRetention">;
  /** Days for which the analytics store keeps records; undefined for ever. */
  readonly analyticsDays: number | undefined;
  readonly now: () => number;
}

/** Makes the function that removes what is old enough, for the most part on its first call of each day. */
export function createRetention(
  { kv, analyticsKv, usageStore, analyticsDays = 0, now }: RetentionOptions,
): () => Promise<void> {
  const rememberedDays = Math.max(BOOK_DAYS, analyticsDays + 1);
  /** The markers of a page that has not been delivered. */
  const markers = (page: string) => [outboxKey(page), asideKey(page)];

  async function isWaiting(page: string): Promise<boolean> {
    const found = await getKnownEntries(kv, markers(page), () => {});
    return found.some((entry) => entry?.versionstamp !== null);
  }

  return async function removeOldRecords() {
    const { days, isNew } = await seeDay(kv, dayOf(now()), rememberedDays);
    if (isNew) await removeOldest(days);
    // The job that delivers to a store reports that it fails.
    if (!await isPaused(kv, now())) await usageStore.applyRetention(days);
  };

  async function removeOldest(seen: readonly string[]): Promise<void> {
    const [health, usage, notes, books] = [HISTORY_DAYS, USAGE_DAYS, NOTE_DAYS, BOOK_DAYS]
      .map((count) => firstDayOf(seen, count));
    if (health) await removeOldHealth(kv, health);
    if (notes) await removeOldNotes(analyticsKv, notes, isWaiting);
    if (!usage) return;
    for await (const { id } of listAccounts(kv)) {
      await removeOldUsage(kv, id, usage, markers);
      if (books) await removeOldDays(kv, id, books);
    }
  }
}
