/** The books of some requests, written as the ledger leaves them. */

import { EMPTY_DAY, withRecord } from "../../lib/proxy/ledger/transitions.ts";
import {
  dayKey,
  type DaySums,
  LEDGER_VERSION,
  ledgerKey,
  type LedgerValue,
  usageKey,
  type UsageRecord,
} from "../../lib/proxy/ledger/values.ts";

/**
 * Books records: each beside its account's sums, which stay in the account's value, with an empty entry for the day.
 * `moveDay` moves a day out of the value.
 */
export async function bookRecords(kv: Deno.Kv, ...records: readonly UsageRecord[]): Promise<void> {
  for (const [accountId, ofAccount] of Map.groupBy(records, (each) => each.accountId)) {
    const { value } = await kv.get<LedgerValue>(ledgerKey(accountId));
    const days: Record<string, DaySums> = { ...value?.days };
    for (const record of ofAccount) {
      days[record.day] = withRecord(days[record.day] ?? EMPTY_DAY, record);
      await kv.set(usageKey(record), record);
      await kv.set(dayKey(record.day, accountId), {});
    }
    await kv.set(ledgerKey(accountId), { version: LEDGER_VERSION, rate: [], ...value, days });
  }
}

/** Moves a day of an account into an entry of its own. */
export async function moveDay(kv: Deno.Kv, accountId: string, day: string): Promise<void> {
  const { value } = await kv.get<LedgerValue>(ledgerKey(accountId));
  if (value === null) throw new Error(`${accountId} has no books`);
  const { [day]: sums, ...days } = value.days;
  await kv.atomic().set(ledgerKey(accountId), { ...value, days }).set(dayKey(day, accountId), sums)
    .commit();
}
