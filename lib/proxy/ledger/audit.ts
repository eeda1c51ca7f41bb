/**
 * The audit of the books: whether the sums of each account are those of its usage records and open reservations. It is
 * right in a database in use too: every booking rewrites the ledger value, so what was read between two reads of the
 * same version is of one moment.
 */

import { isDeepStrictEqual } from "node:util";
import { beginAtomic, requireVersion } from "../../platform/kv/write.ts";
import { type Entry, getEntry, listEntries } from "../../platform/kv/list.ts";
import { retryLocked } from "../../platform/kv/open.ts";
import type { NanoUsd } from "../../platform/money.ts";
import { readDays } from "./read.ts";
import { EMPTY_DAY, movedSums, withRecord } from "./changes.ts";
import {
  type CapDay,
  dayKey,
  type DaySums,
  EMPTY_LEDGER,
  LEDGER_VERSION,
  ledgerKey,
  type LedgerValue,
  type Reservation,
  reservationKey,
  SERVICE_SUMS,
  serviceSumKey,
  type UsageRecord,
} from "./values.ts";

/** A day whose sums differ from its records. */
export interface BookDifference {
  readonly accountId: string;
  readonly day: string;
  /** The sums in the books, and those of the records and reservations. */
  readonly book: Pick<DaySums, "spent" | "reserved" | "requests">;
  readonly records: Pick<DaySums, "spent" | "reserved" | "requests">;
}

/** How an audit is made. */
interface AuditOptions {
  /** Days before this one are left out: their usage records may have expired. Null for none. */
  readonly from: string | null;
  /** Whether to correct the days with a difference, in a database that no process books in yet. */
  readonly correct: boolean;
}

/** An account is read again this many times at most, because a busy one changes all the time. */
const ATTEMPTS = 20;

/**
 * Audits an account.
 *
 * @throws {NewerVersionError} if a newer version of the program wrote its ledger value.
 */
export async function auditAccount(
  kv: Deno.Kv,
  accountId: string,
  { from, correct }: AuditOptions,
): Promise<BookDifference[]> {
  for (let attempt = 1;; attempt++) {
    const entry = await getEntry<LedgerValue>(kv, ledgerKey(accountId));
    requireVersion(entry.key, entry.value, LEDGER_VERSION);
    const found = await readAccount(kv, accountId, entry, from ?? "");
    const { versionstamp } = await getEntry(kv, entry.key);
    // Another booking came in between, so the values are not of one moment.
    if (versionstamp !== entry.versionstamp && attempt < ATTEMPTS) continue;
    if (correct && found.differences.length > 0) await putRight(kv, accountId, entry, found);
    return found.differences;
  }
}

/**
 * Sets the service's sums of some days to those of all accounts' books, in a database that no process books in yet.
 */
export async function sumServiceDays(
  kv: Deno.Kv,
  accountIds: Iterable<string>,
  days: readonly string[],
): Promise<void> {
  const sums = days.map(() => 0n);
  for (const id of accountIds) {
    const books = await readDays(kv, id, days);
    books.forEach(({ spent, reserved }, at) => sums[at] = (sums[at] ?? 0n) + spent + reserved);
  }
  for (const [at, day] of days.entries()) await setServiceSum(kv, day, sums[at] ?? 0n);
}

async function setServiceSum(kv: Deno.Kv, day: string, used: NanoUsd): Promise<void> {
  const operation = beginAtomic(kv);
  for (const sum of SERVICE_SUMS) operation.delete(serviceSumKey(day, sum));
  if (used > 0n) operation.set(serviceSumKey(day, "reserved"), new Deno.KvU64(used));
  await retryLocked(() => operation.commit());
}

type FoundAccount = Awaited<ReturnType<typeof readAccount>>;

/** The sums of an account's records and reservations, and the days on which its books differ from them. */
async function readAccount(
  kv: Deno.Kv,
  accountId: string,
  { value }: Entry<LedgerValue>,
  from: string,
) {
  const open: Reservation[] = [];
  for await (const each of listEntries<Reservation>(kv, ["reservation", accountId])) {
    if (each.value.day >= from) open.push(each.value);
  }
  const isOpen = new Set(open.map(({ requestId }) => requestId));
  const booked = new Set<string>();
  const days = new Map<string, DaySums>();
  const sumsOf = (day: string) => days.get(day) ?? EMPTY_DAY;
  for (const day of Object.keys(value?.days ?? {})) if (day >= from) days.set(day, sumsOf(day));
  for await (const { value: record } of listEntries<UsageRecord>(kv, ["usage", accountId])) {
    if (record.day < from) continue;
    days.set(record.day, withRecord(sumsOf(record.day), record));
    if (isOpen.has(record.requestId)) booked.add(record.requestId);
  }
  const caps = new Map<string, NanoUsd>();
  for (const { requestId, day, amount, capId } of open) {
    if (booked.has(requestId)) continue;
    const sums = sumsOf(day);
    days.set(day, { ...sums, reserved: sums.reserved + amount });
    const cap = `${day} ${capId}`;
    if (capId !== undefined) caps.set(cap, (caps.get(cap) ?? 0n) + amount);
  }
  const twice = open.filter(({ requestId }) => booked.has(requestId));
  const differences: BookDifference[] = [];
  for (const [day, records] of [...days].toSorted(([one], [other]) => one < other ? -1 : 1)) {
    const { value: moved } = await getEntry<Partial<DaySums>>(kv, dayKey(day, accountId));
    const book = value?.days[day] ?? movedSums(moved);
    const { suspectCosts: _unknown, ...known } = book;
    const isTwice = twice.some((each) => each.day === day);
    if (!isTwice && isDeepStrictEqual(known, records)) continue;
    differences.push({ accountId, day, book, records });
  }
  return { days, caps, twice, differences };
}

/** Writes the sums of an account's records and reservations. */
async function putRight(
  kv: Deno.Kv,
  accountId: string,
  entry: Entry<LedgerValue>,
  { days, caps, twice, differences }: FoundAccount,
): Promise<void> {
  const before = entry.value ?? EMPTY_LEDGER;
  const held = { ...before.days };
  const operation = beginAtomic(kv);
  for (const { day, records } of differences) {
    // A day that has left the ledger value comes back; the account's next commit moves it again.
    held[day] = { ...before.days[day], ...days.get(day), ...records } as DaySums;
    operation.set(dayKey(day, accountId), {});
  }
  operation.set(entry.key, { ...before, days: held });
  for (const reservation of twice) operation.delete(reservationKey(reservation));
  // A copy may have a cap's day without the reservation that it counts.
  for (const { day } of differences) {
    for await (const cap of listEntries<CapDay>(kv, ["cap", accountId, day])) {
      const reserved = caps.get(`${day} ${String(cap.key[3])}`) ?? 0n;
      if (cap.value.reserved !== reserved) operation.set(cap.key, { ...cap.value, reserved });
    }
  }
  await retryLocked(() => operation.commit());
}
