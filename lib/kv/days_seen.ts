/**
 * The days that the database has seen: a measure of time that no wrong clock can move far. KV's own expiry
 * goes by the clock of the process that writes or of the one that looks, so a clock that is years ahead
 * for a minute would end everything that expires. It adds one day here.
 */

import { commitOnce } from "./commit.ts";
import { getEntry } from "./list.ts";
import { beginAtomic } from "./write.ts";

/** The UTC days on which the service ran, `2026-11-21`, in the order in which they were first seen. */
interface DaysSeen {
  readonly days: readonly string[];
}

const KEY: Deno.KvKey = ["days_seen"];

/**
 * Notes that it is a day.
 *
 * @param count how many days to remember.
 * @returns the days, the latest noted last, and whether this one is new among them.
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

/**
 * The first of the last `count` days; null if the database has not seen as many. The earliest of them, in
 * case one was noted by a clock that was ahead.
 */
export function firstDayOf(seen: readonly string[], count: number): string | null {
  return seen.length < count ? null : seen.slice(-count).toSorted()[0] ?? null;
}
