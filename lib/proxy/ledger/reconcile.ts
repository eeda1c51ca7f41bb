/**
 * Reconciles the books: whether the sums of each account are those of its usage records and open reservations. It is
 * right in a database in use too. A booking gives the same versionstamp to all that it writes, and rewrites the ledger
 * value. So the reservations that were read between two reads of the same version are those of this version, and so are
 * the records up to its versionstamp, whatever was booked while they were read.
 */

import { isDeepStrictEqual } from "node:util";
import { beginAtomic, commit, requireVersion } from "../../platform/kv/write.ts";
import { type Entry, getEntry, listEntries } from "../../platform/kv/list.ts";
import { EMPTY_DAY, movedSums, withRecord, withReserved } from "./transitions.ts";
import {
  type CapDay,
  dayKey,
  type DaySums,
  EMPTY_LEDGER,
  LEDGER_VERSION,
  ledgerKey,
  type LedgerValue,
  OTHER_KEYS,
  type Reservation,
  reservationKey,
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

/** How a reconciliation is made. */
interface ReconcileOptions {
  /** Days before this one are left out: their usage records may have expired. Null for none. */
  readonly from: string | null;
  /** Whether to correct the days with a difference, in a database that no process books in yet. */
  readonly correct: boolean;
}

/** Reads of the ledger value and the reservations, until no booking comes in between. */
const ATTEMPTS = 200;
/**
 * A difference is reported if it is still there when all is read again: a settlement that replaces what the sweep has
 * charged, in between, takes a record from the version that is compared.
 */
const TIMES = 3;

/**
 * Compares the sums of an account with its records.
 *
 * @throws {NewerVersionError} if a newer version of the program wrote its ledger value.
 * @throws {Error} if it is booked in all the time, so that no moment is found.
 */
export async function reconcileAccount(
  kv: Deno.Kv,
  accountId: string,
  { from, correct }: ReconcileOptions,
): Promise<BookDifference[]> {
  for (let time = 1;; time++) {
    const moment = await readMoment(kv, accountId, from ?? "");
    // In a database that no process books in, all records count: a restore may have written them later.
    const found = await readAccount(kv, accountId, moment, correct ? null : moment.entry);
    if (found.differences.length > 0 && time < TIMES && !correct) continue;
    if (correct && found.differences.length > 0) await putRight(kv, accountId, moment.entry, found);
    return found.differences;
  }
}

/** An account's ledger value and its open reservations, of one moment. */
async function readMoment(kv: Deno.Kv, accountId: string, from: string) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const entry = await getEntry<LedgerValue>(kv, ledgerKey(accountId));
    requireVersion(entry.key, entry.value, LEDGER_VERSION);
    const open: Reservation[] = [];
    for await (const { value } of listEntries<Reservation>(kv, ["reservation", accountId])) {
      if (value.day >= from) open.push(value);
    }
    const { versionstamp } = await getEntry(kv, entry.key);
    if (versionstamp === entry.versionstamp) return { entry, open, from };
  }
  throw new Error(`${accountId} is booked in all the time: compare it when it has fewer requests`);
}

type FoundAccount = Awaited<ReturnType<typeof readAccount>>;

/**
 * The sums of an account's records and reservations, and the days on which its books differ from them.
 *
 * @param until the version up to whose versionstamp records count; null for all of them.
 */
async function readAccount(
  kv: Deno.Kv,
  accountId: string,
  { entry: { value }, open, from }: Awaited<ReturnType<typeof readMoment>>,
  until: Entry<LedgerValue> | null,
) {
  const isOpen = new Set(open.map(({ requestId }) => requestId));
  const booked = new Set<string>();
  const days = new Map<string, DaySums>();
  const sumsOf = (day: string) => days.get(day) ?? EMPTY_DAY;
  for (const day of Object.keys(value?.days ?? {})) if (day >= from) days.set(day, sumsOf(day));
  for await (
    const { value: record, versionstamp } of listEntries<UsageRecord>(kv, ["usage", accountId])
  ) {
    if (record.day < from || until !== null && versionstamp > (until.versionstamp ?? "")) continue;
    days.set(record.day, withRecord(sumsOf(record.day), record));
    if (isOpen.has(record.requestId)) booked.add(record.requestId);
  }
  for (const each of open) {
    if (booked.has(each.requestId)) continue;
    days.set(each.day, withReserved(sumsOf(each.day), each, each.amount));
  }
  const twice = open.filter(({ requestId }) => booked.has(requestId));
  const differences: BookDifference[] = [];
  for (const [day, records] of [...days].toSorted(([one], [other]) => one < other ? -1 : 1)) {
    const { value: moved } = await getEntry<Partial<DaySums>>(kv, dayKey(day, accountId));
    const book = value?.days[day] ?? movedSums(moved);
    const isTwice = twice.some((each) => each.day === day);
    // Which keys are the others depends on the order in which requests were settled.
    const tellsKeys = book.byKey !== undefined && !(OTHER_KEYS in book.byKey);
    const [ofBook, ofRecords] = [comparable(book, tellsKeys), comparable(records, tellsKeys)];
    if (!isTwice && isDeepStrictEqual(ofBook, ofRecords)) continue;
    differences.push({ accountId, day, book, records });
  }
  return { days, twice, differences };
}

/** The members of a day's sums that records and reservations determine: of a cap, what is reserved. */
function comparable(
  { spent, reserved, requests, byEndpoint, byKey, caps = {} }: DaySums,
  tellsKeys: boolean,
) {
  const reservedOf = Object.entries(caps).flatMap(([id, { reserved }]) =>
    reserved === 0n ? [] : [[id, reserved] as const]
  );
  const ofKeys = tellsKeys ? byKey : null;
  return { spent, reserved, requests, byEndpoint, ofKeys, caps: new Map(reservedOf) };
}

/** Caps as the book has them, with what is reserved by the reservations. */
function correctCaps(book: DaySums["caps"], records: DaySums["caps"]): Record<string, CapDay> {
  const ids = Object.keys({ ...book, ...records });
  return Object.fromEntries(ids.map((id) => {
    const before = book?.[id] ?? { spent: 0n };
    return [id, { ...before, reserved: records?.[id]?.reserved ?? 0n }];
  }));
}

/** Writes the sums of an account's records and reservations. */
async function putRight(
  kv: Deno.Kv,
  accountId: string,
  entry: Entry<LedgerValue>,
  { days, twice, differences }: FoundAccount,
): Promise<void> {
  const before = entry.value ?? EMPTY_LEDGER;
  const held = { ...before.days };
  const operation = beginAtomic(kv);
  for (const { day, book } of differences) {
    // A day that has left the ledger value comes back; the account's next commit moves it again.
    const records = days.get(day) ?? EMPTY_DAY;
    const caps = correctCaps(before.days[day]?.caps ?? (book as DaySums).caps, records.caps);
    held[day] = { ...before.days[day], ...records, ...Object.keys(caps).length > 0 && { caps } };
    operation.set(dayKey(day, accountId), {});
  }
  operation.set(entry.key, { ...before, days: held });
  for (const reservation of twice) operation.delete(reservationKey(reservation));
  await commit(operation);
}
