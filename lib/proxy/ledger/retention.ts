/** How long books are kept. Usage records expire by themselves (`transitions.ts`). */

import { listEntries } from "../../platform/kv/list.ts";
import { retryLocked } from "../../platform/kv/open.ts";
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
