/**
 * The audit of the books: whether each day's sums are those of its usage records and open reservations. A day with a
 * difference can be corrected, even in a database in use: every booking changes its day, so a day that did not change
 * between two reads was read as of one moment.
 */

import { isDeepStrictEqual } from "node:util";
import { beginAtomic } from "../../platform/kv/write.ts";
import type { Entry } from "../../platform/kv/formats.ts";
import { getEntry, listEntries } from "../../platform/kv/list.ts";
import { retryLocked } from "../../platform/kv/open.ts";
import type { NanoUsd } from "../../platform/money.ts";
import {
  type CapDay,
  capDayKey,
  capDaysPrefix,
  type DayBook,
  dayKey,
  daysPrefix,
  EMPTY_CAP_DAY,
  EMPTY_DAY,
  readDayBooks,
  type Reservation,
  RESERVATIONS,
  usagePrefix,
  type UsageRecord,
  usagesPrefix,
} from "./books.ts";
import { setServiceSum } from "./service_day.ts";

/** A day whose book differs from its records. */
export interface BookDifference {
  readonly accountId: string;
  readonly day: string;
  /** The sums in the book, and those of the records and reservations. */
  readonly book: Pick<DayBook, "spent" | "reserved" | "requests">;
  readonly records: Pick<DayBook, "spent" | "reserved" | "requests">;
  /** Requests that were both reserved and booked. */
  readonly twice: number;
  /** False if the day changed during each attempt to correct it. */
  readonly isCorrected: boolean;
}

/** How an audit is made. */
interface AuditOptions {
  /** Days before this one are left out: their usage records may have been removed. Null for none. */
  readonly from: string | null;
  /** Whether to correct a day with a difference. */
  readonly correct: boolean;
}

/** A day is read again this many times at most, because the days of a busy account change all the time. */
const ATTEMPTS = 20;

/** Audits an account; yields the days with differences. */
export async function* auditAccount(
  kv: Deno.Kv,
  accountId: string,
  { from, correct }: AuditOptions,
): AsyncGenerator<BookDifference> {
  for (const day of await daysOf(kv, accountId)) {
    if (from !== null && day < from) continue;
    for (let attempt = 1;; attempt++) {
      const found = await readDayOf(kv, accountId, day);
      // Another booking came in between, so the values are not of one moment.
      if (!await isUnchanged(kv, found.entry) && attempt < ATTEMPTS) continue;
      const difference = differenceOf(accountId, day, found);
      if (difference === null) break;
      const isCorrected = correct && await putRight(kv, accountId, day, found);
      if (correct && !isCorrected && attempt < ATTEMPTS) continue;
      yield { ...difference, isCorrected };
      break;
    }
  }
}

/**
 * Sets the service's sum of each of some days to that of all accounts' books (`service_day.ts`), in a database that no
 * process books in yet.
 */
export async function sumServiceDays(
  kv: Deno.Kv,
  accountIds: Iterable<string>,
  days: readonly string[],
): Promise<void> {
  const sums = days.map(() => 0n);
  for (const id of accountIds) {
    const books = await readDayBooks(kv, id, days, () => {});
    books.forEach(({ spent, reserved }, at) => sums[at] = (sums[at] ?? 0n) + spent + reserved);
  }
  for (const [at, day] of days.entries()) await setServiceSum(kv, day, sums[at] ?? 0n);
}

/** The days on which an account has a book, records or reservations. */
async function daysOf(kv: Deno.Kv, accountId: string): Promise<string[]> {
  const days = new Set<string>();
  for await (const { key } of listEntries(kv, daysPrefix(accountId))) days.add(String(key[2]));
  for await (const { key } of listEntries(kv, usagesPrefix(accountId))) days.add(String(key[2]));
  for (const { open } of await listOpen(kv, accountId)) days.add(open.day);
  return [...days].sort();
}

interface OpenReservation {
  readonly open: Reservation;
  readonly batch: Entry<readonly Reservation[]>;
}

async function listOpen(kv: Deno.Kv, accountId: string): Promise<OpenReservation[]> {
  const found: OpenReservation[] = [];
  const batches = listEntries<readonly Reservation[]>(kv, [...RESERVATIONS, accountId]);
  for await (const batch of batches) {
    for (const open of batch.value) found.push({ open, batch });
  }
  return found;
}

type FoundDay = Awaited<ReturnType<typeof readDayOf>>;

async function readDayOf(kv: Deno.Kv, accountId: string, day: string) {
  const entry = await getEntry<DayBook>(kv, dayKey(accountId, day));
  const all = (await listOpen(kv, accountId)).filter(({ open }) => open.day === day);
  const booked = new Set<string>();
  let spent = 0n;
  const byEndpoint: Record<string, { requests: number; spent: NanoUsd }> = {};
  for await (const { value } of listEntries<UsageRecord[]>(kv, usagePrefix(accountId, day))) {
    for (const { requestId, endpoint, cost } of value) {
      booked.add(requestId);
      spent += cost;
      const before = byEndpoint[endpoint] ?? { requests: 0, spent: 0n };
      byEndpoint[endpoint] = { requests: before.requests + 1, spent: before.spent + cost };
    }
  }
  const open = all.filter(({ open }) => !booked.has(open.requestId));
  const reserved = open.reduce((sum, { open }) => sum + open.amount, 0n);
  const twice = all.filter(({ open }) => booked.has(open.requestId));
  const caps = new Map<string, NanoUsd>();
  for (const { open: { capId, amount } } of open) {
    if (capId !== undefined) caps.set(capId, (caps.get(capId) ?? 0n) + amount);
  }
  return { entry, twice, caps, sums: { spent, reserved, requests: booked.size, byEndpoint } };
}

async function isUnchanged(kv: Deno.Kv, { key, versionstamp }: Entry<DayBook>): Promise<boolean> {
  return (await getEntry(kv, key)).versionstamp === versionstamp;
}

function differenceOf(
  accountId: string,
  day: string,
  { entry, sums, twice }: FoundDay,
): Omit<BookDifference, "isCorrected"> | null {
  const book = entry.value ?? EMPTY_DAY;
  const { suspectCosts: _unknown, ...known } = book;
  if (twice.length === 0 && isDeepStrictEqual(known, sums)) return null;
  return { accountId, day, book, records: sums, twice: twice.length };
}

/** Writes the sums of a day that was read as of one moment; false if it has changed since. */
async function putRight(
  kv: Deno.Kv,
  accountId: string,
  day: string,
  { entry, twice, caps, sums }: FoundDay,
): Promise<boolean> {
  const booked = new Set(twice.map(({ open }) => open.requestId));
  const operation = beginAtomic(kv).check(entry).set(entry.key, { ...entry.value, ...sums });
  for (const batch of new Set(twice.map(({ batch }) => batch))) {
    const left = batch.value?.filter(({ requestId }) => !booked.has(requestId)) ?? [];
    operation.check(batch);
    if (left.length === 0) operation.delete(batch.key);
    else operation.set(batch.key, left);
  }
  // A copy may have a cap's day without the reservation that it counts.
  const ids = new Set(caps.keys());
  const stored = listEntries<CapDay>(kv, [...capDaysPrefix(accountId), day]);
  for await (const { key } of stored) ids.add(String(key.at(-1)));
  for (const id of ids) {
    const cap = await getEntry<CapDay>(kv, capDayKey(accountId, day, id));
    const reserved = caps.get(id) ?? 0n;
    if (cap.value?.reserved === reserved) continue;
    const corrected = { ...cap.value ?? EMPTY_CAP_DAY, reserved };
    operation.check(cap).set(cap.key, corrected);
  }
  return (await retryLocked(() => operation.commit())).ok;
}
