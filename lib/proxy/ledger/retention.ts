/** How long books are kept. Usage records expire by themselves (`transitions.ts`). */

import { listEntries } from "../../platform/kv/list.ts";
import { retryLocked } from "../../platform/kv/open.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";
import { daysUntil } from "../../platform/utc_days.ts";
import { SERVICE_SUMS, serviceSumKey } from "./values.ts";

/** Days hold the sums that bills are made from. */
export const BOOK_DAYS = 400;

/** Removes all accounts' sums of a day, and the day's sums of the service. */
export async function removeDay(kv: Deno.Kv, day: string): Promise<void> {
  // An account has an entry for each day on which it reserved anything.
  for await (const { key } of listEntries(kv, ["day", day])) {
    await retryLocked(() => kv.delete(key));
  }
  for (const sum of SERVICE_SUMS) await retryLocked(() => kv.delete(serviceSumKey(day, sum)));
}

/**
 * The days of a period in their order; none if it ends before it begins.
 *
 * @throws {RangeError} for more days than the books have: each would be read.
 */
export function daysFrom(from: string, to: string): string[] {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MILLISECONDS;
  if (days >= BOOK_DAYS) throw new RangeError(`the books have ${BOOK_DAYS} days`);
  return daysUntil(to, days + 1).toReversed();
}
