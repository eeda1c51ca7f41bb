/** The reconciliation of the books of all accounts, for the command and the desk, and what it found, in words. */

import { listAccounts } from "../accounts/account.ts";
import { type BookDifference, reconcileAccount } from "../proxy/ledger/reconcile.ts";
import { dayBefore, dayOf } from "../platform/utc_days.ts";
import { USAGE_DAYS } from "../proxy/ledger/transitions.ts";
import { exactUsd, type NanoUsd, readableUsd } from "../platform/money.ts";
import { counted } from "../platform/text.ts";

interface Reconciliation {
  /** How many accounts were compared. */
  readonly accounts: number;
  readonly differences: readonly BookDifference[];
}

/**
 * Compares the sums of all accounts with their records, of the days whose records are all there.
 *
 * @param now epoch milliseconds.
 */
export async function reconcileBooks(kv: Deno.Kv, now: number): Promise<Reconciliation> {
  const from = dayBefore(dayOf(now), USAGE_DAYS - 2);
  const differences: BookDifference[] = [];
  let accounts = 0;
  for await (const { id } of listAccounts(kv)) {
    differences.push(...await reconcileAccount(kv, id, { from, correct: false }));
    accounts++;
  }
  return { accounts, differences };
}

/** The result of a reconciliation, a sentence for each difference, to the nano-dollar. */
export function reconciliationInWords({ accounts, differences }: Reconciliation): string[] {
  if (differences.length === 0) {
    return [`The sums of ${counted(accounts, "account")} agree with their records.`];
  }
  return differencesInWords(differences);
}

/** A sentence for each day whose sums differ from its records. */
export function differencesInWords(differences: readonly BookDifference[]): string[] {
  return differences.map(({ accountId, day, book, records }) =>
    `${accountId} on ${day}: the book has ${spendingInWords(book, exactUsd)}; its records have ` +
    `${spendingInWords(records, exactUsd)}.`
  );
}

/** The sums of a day: `$0.50 spent on 3 requests, $0.00 reserved`. */
export function spendingInWords(
  { spent, reserved, requests }: BookDifference["book"],
  format: (amount: NanoUsd) => string = readableUsd,
): string {
  return `${format(spent)} spent on ${counted(requests, "request")}, ${format(reserved)} reserved`;
}
