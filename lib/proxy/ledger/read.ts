/** Reads the books: accounts' days and usage records. It writes nothing. */

import {
  getEntries,
  getEntry,
  getNeighbours,
  listBatches,
  listEntries,
} from "../../platform/kv/list.ts";
import { requireVersion } from "../../platform/kv/write.ts";
import { movedSums } from "./transitions.ts";
import { dayOf } from "../../platform/utc_days.ts";
import {
  dayKey,
  type DaySums,
  LEDGER_VERSION,
  ledgerKey,
  type LedgerValue,
  type UsageRecord,
} from "./values.ts";

/** A day's own entry: `{}` while its sums are in the ledger value. */
type DayEntry = Partial<DaySums>;

const isMoved = ({ spent }: DayEntry) => spent !== undefined;

/**
 * Reads days of an account, in the order of `days`.
 *
 * @throws {NewerVersionError} if a newer version of the program wrote the account's ledger value.
 */
export async function readDays(
  kv: Deno.Kv,
  accountId: string,
  days: readonly string[],
): Promise<DaySums[]> {
  const held = await readHeldDays(kv, accountId);
  const others = days.filter((day) => held[day] === undefined);
  const found = new Map<string, DayEntry>();
  const entries = await getEntries<DayEntry>(kv, others.map((day) => dayKey(day, accountId)));
  for (const [index, { value }] of entries.entries()) {
    if (value !== null) found.set(others[index] ?? "", value);
  }
  // A clock that was ahead had moved such a day, and it came back into the ledger value between the two reads.
  const isReopened = [...found.values()].some((entry) => !isMoved(entry));
  const again = isReopened ? await readHeldDays(kv, accountId) : held;
  return days.map((day) => held[day] ?? again[day] ?? movedSums(found.get(day)));
}

async function readHeldDays(kv: Deno.Kv, accountId: string): Promise<LedgerValue["days"]> {
  const key = ledgerKey(accountId);
  const { value } = await getEntry<LedgerValue>(kv, key);
  return requireVersion(key, value, LEDGER_VERSION)?.days ?? {};
}

/** How many accounts are read at once: over a network, each read takes its time. */
const ACCOUNTS = 500;

/** An account's sums of a day. */
interface AccountDay {
  readonly accountId: string;
  readonly sums: DaySums;
}

/**
 * Yields a day of every account that has one, some accounts at a time. It reads one range, and ledger values only
 * for days that have not left them. The next accounts are read while the caller is busy with the former.
 *
 * @throws {NewerVersionError} if a newer version of the program wrote an account's ledger value.
 */
export function listAccountDays(kv: Deno.Kv, day: string): AsyncGenerator<AccountDay[]> {
  return readAhead(sumBatches(kv, day));
}

async function* sumBatches(kv: Deno.Kv, day: string): AsyncGenerator<AccountDay[]> {
  const batches = listBatches<DayEntry>(kv, ["day", day], { batchSize: ACCOUNTS });
  for await (const batch of readAhead(batches)) {
    const entries = batch.map(({ key, value }) => ({ accountId: String(key[2]), value }));
    const unmoved = entries.filter(({ value }) => !isMoved(value));
    const held = await readHeld(kv, unmoved.map(({ accountId }) => accountId), day);
    yield entries.map(({ accountId, value }) => (
      { accountId, sums: held.get(accountId) ?? movedSums(value) }
    ));
  }
}

/** Yields the same values, and asks for each while the one before is in use. */
async function* readAhead<T>(values: AsyncGenerator<T>): AsyncGenerator<T> {
  for (let next = values.next();;) {
    const { value, done = false } = await next;
    if (done) return;
    next = values.next();
    // A caller that ends early does not wait for it.
    next.catch(() => {});
    yield value;
  }
}

/** The sums of accounts whose entries of a day were empty; `ids` are in order. */
async function readHeld(
  kv: Deno.Kv,
  ids: readonly string[],
  day: string,
): Promise<Map<string, DaySums>> {
  const sums = new Map<string, DaySums>();
  const missing: string[] = [];
  for (const [at, entry] of (await getNeighbours<LedgerValue>(kv, ids.map(ledgerKey))).entries()) {
    const found = requireVersion(entry.key, entry.value, LEDGER_VERSION)?.days[day];
    const id = ids[at] ?? "";
    if (found === undefined) missing.push(id);
    else sums.set(id, found);
  }
  // The day may have left a ledger value between the two reads.
  const entries = await getEntries<DayEntry>(kv, missing.map((id) => dayKey(day, id)));
  for (const { key, value } of entries) sums.set(String(key[2]), movedSums(value));
  return sums;
}

/** Yields an account's usage records, in the order of their admission. */
export async function* listUsage(kv: Deno.Kv, accountId: string): AsyncGenerator<UsageRecord> {
  for await (const { value } of listEntries<UsageRecord>(kv, ["usage", accountId])) yield value;
}

/** Yields the entries of the usage records of some days, of an account or of all (null). */
export async function* listUsageOfDays(
  kv: Deno.Kv,
  days: readonly string[],
  accountId: string | null,
): AsyncGenerator<Deno.KvEntry<UsageRecord>> {
  for (const day of days) {
    for await (
      const accounts of accountId === null ? listAccountDays(kv, day) : [[{ accountId }]]
    ) {
      for (const { accountId } of accounts) {
        yield* listEntries<UsageRecord>(kv, ["usage", accountId, day]);
      }
    }
  }
}

/**
 * Reads an account's latest usage records, the latest first.
 *
 * @param since epoch milliseconds of the earliest admission.
 * @param count how many at most.
 */
export async function listLatestUsage(
  kv: Deno.Kv,
  accountId: string,
  { since, count }: { readonly since: number; readonly count: number },
): Promise<UsageRecord[]> {
  const prefix = ["usage", accountId];
  const from = [...prefix, dayOf(since), since];
  const records: UsageRecord[] = [];
  for await (const { value } of listEntries<UsageRecord>(kv, prefix, { from, isReversed: true })) {
    if (records.push(value) === count) break;
  }
  return records;
}
