/**
 * How long records are kept. Old records are removed once a day, counting the days that the database has seen
 * (`kv/days_seen.ts`): a lifetime in KV would end early if a clock ran ahead, so no record that cannot be made
 * again has one.
 */

import { dayOf, listAccounts, outboxKey, removeOldDays, removeOldUsage } from "./accounts/mod.ts";
import { asideKey, isPaused, removeOldNotes, type UsageStore } from "./analytics/mod.ts";
import { HISTORY_DAYS, removeOldHealth } from "./health/mod.ts";
import { firstDayOf, getKnownEntries, seeDay } from "./kv/mod.ts";

/** A day book, which has the sums for billing. */
const BOOK_DAYS = 400;
/** A batch of usage records; afterwards only the analytics store has them. */
const USAGE_DAYS = 100;
/** The embedded store's note of a batch: longer than the batch, which could be delivered again. */
const NOTE_DAYS = 200;

/** What {@linkcode createRetention} needs. */
interface RetentionOptions {
  readonly kv: Deno.Kv;
  /** The database of the embedded analytics store; may be the same one. */
  readonly analyticsKv: Deno.Kv;
  readonly usageStore: Pick<UsageStore, "applyRetention">;
  /** How long the analytics store keeps records; undefined for ever. */
  readonly analyticsDays: number | undefined;
  readonly now: () => number;
}

/** Makes the function that removes old records, most of them on its first call of each day. */
export function createRetention(
  { kv, analyticsKv, usageStore, analyticsDays = 0, now }: RetentionOptions,
): () => Promise<void> {
  const rememberedDays = Math.max(BOOK_DAYS, analyticsDays + 1);
  /** The markers of a batch that has not been delivered. */
  const markers = (batch: string) => [outboxKey(batch), asideKey(batch)];

  async function isWaiting(batch: string): Promise<boolean> {
    const found = await getKnownEntries(kv, markers(batch), () => {});
    return found.some((entry) => entry?.versionstamp !== null);
  }

  return async function removeOldRecords() {
    const { days, isNew } = await seeDay(kv, dayOf(now()), rememberedDays);
    if (isNew) await removeOldest(days);
    // A paused store is failing; the delivery job reports that.
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
