/**
 * The days on which the database was used: a measure of time that a wrong clock hardly changes. KV's own expiry
 * follows the clock of a single process: a clock that is years ahead for a minute would delete everything that
 * expires. Here, such a clock adds one day.
 */

import { getEntry } from "./list.ts";
import { beginAtomic, commitOnce } from "./write.ts";

/** The UTC days on which the service ran, `2026-11-21`, in the order in which they were first seen. */
interface DaysSeen {
  readonly days: readonly string[];
}

const KEY: Deno.KvKey = ["days_seen"];

/**
 * Records a day.
 *
 * @param count how many days to keep.
 * @returns the days, the most recently recorded last, and whether this one is new.
 */
export async function seeDay(
  kv: Deno.Kv,
  day: string,
  count: number,
): Promise<{ readonly days: readonly string[]; readonly isNew: boolean }> {
  for (;;) {
    const entry = await getEntry<DaysSeen>(kv, KEY);
    const known = entry.value?.days ?? [];
    if (known.includes(day)) return { days: known, isNew: false };
    const seen: DaysSeen = { days: [...known, day].slice(-count) };
    const operation = beginAtomic(kv).check(entry).set(KEY, seen);
    if ((await commitOnce(kv, operation, KEY, seen)).ok) return { days: seen.days, isNew: true };
  }
}

/** The days that were seen, the most recently recorded last. */
export async function daysSeen(kv: Deno.Kv): Promise<readonly string[]> {
  return (await getEntry<DaysSeen>(kv, KEY)).value?.days ?? [];
}

/**
 * The earliest of the last `count` days; null if fewer were seen. The days may be out of order if a clock was ahead.
 */
export function firstDayOf(seen: readonly string[], count: number): string | null {
  return seen.length < count ? null : seen.slice(-count).toSorted()[0] ?? null;
}
