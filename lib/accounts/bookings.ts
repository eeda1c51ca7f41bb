/**
 * The ledger's bookings: what each step writes into a draft of the books. They keep the books' one
 * promise (`books.ts`): whatever moves a reservation moves the day's sums in the same draft.
 */

import type { Draft } from "../kv/mod.ts";
import type { NanoUsd } from "../money.ts";
import {
  type DayBook,
  dayKey,
  EMPTY_DAY,
  type Hold,
  outboxKey,
  rateKey,
  type Reservation,
  reservationsKey,
  usageKey,
  type UsageRecord,
} from "./books.ts";
import { EMPTY_WINDOW, type RateWindow } from "./rate_window.ts";

// What is read here is what this file wrote: hence the casts.

/** An account's day, empty at first. */
export function readDay(draft: Draft, accountId: string, day: string): DayBook {
  return draft.get(dayKey(accountId, day)) as DayBook | null ?? EMPTY_DAY;
}

/** An account's sliding window, empty at first. */
export function readWindow(draft: Draft, accountId: string): RateWindow {
  return draft.get(rateKey(accountId)) as RateWindow | null ?? EMPTY_WINDOW;
}

/** Opens a reservation; gives the number of those on its page. */
export function openReservation(draft: Draft, { reservation, page }: Hold): number {
  const { accountId, day, amount } = reservation;
  const book = readDay(draft, accountId, day);
  writeDay(draft, accountId, day, { ...book, reserved: book.reserved + amount });
  const held = [...readPage(draft, accountId, page), reservation];
  draft.set(reservationsKey(accountId, page), held);
  return held.length;
}

/** The reservation as it is now, or null if it is closed. */
export function findReservation(draft: Draft, { reservation, page }: Hold): Reservation | null {
  const held = readPage(draft, reservation.accountId, page);
  return held.find(({ requestId }) => requestId === reservation.requestId) ?? null;
}

/** Whether a reservation was made: it is open, or was swept since. */
export function wasReserved(draft: Draft, hold: Hold): boolean {
  return findReservation(draft, hold) !== null || draft.get(sweptKey(hold)) !== null;
}

/** The page with the usage record of a reservation that was swept; there is none if it was settled. */
export function sweptKey({ reservation: { accountId, day, requestId } }: Hold): Deno.KvKey {
  return usageKey(accountId, day, requestId);
}

/** Puts another version of an open reservation, with the same amount and day, in its place. */
export function replaceReservation(draft: Draft, { reservation, page }: Hold): void {
  const held = readPage(draft, reservation.accountId, page);
  const others = held.filter(({ requestId }) => requestId !== reservation.requestId);
  draft.set(reservationsKey(reservation.accountId, page), [...others, reservation]);
}

/** Closes an open reservation: its amount is no longer reserved. */
export function closeReservation(draft: Draft, { reservation, page }: Hold): void {
  const { accountId, day, amount, requestId } = reservation;
  const rest = readPage(draft, accountId, page).filter((each) => each.requestId !== requestId);
  const key = reservationsKey(accountId, page);
  if (rest.length === 0) draft.delete(key);
  else draft.set(key, rest);
  const book = readDay(draft, accountId, day);
  writeDay(draft, accountId, day, { ...book, reserved: book.reserved - amount });
}

/** Writes a day anew as it is: a commit that was made from what it was before fails, whenever it comes. */
export function touchDay(draft: Draft, accountId: string, day: string): void {
  writeDay(draft, accountId, day, readDay(draft, accountId, day));
}

/** Books a usage record on a page of its day that only this commit writes. */
export function addUsage(draft: Draft, record: UsageRecord, page: string): void {
  const key = usageKey(record.accountId, record.day, page);
  const before = draft.written(key) as readonly UsageRecord[] | null ?? [];
  draft.set(key, [...before, record]);
  draft.set(outboxKey(page), { accountId: record.accountId, day: record.day });
  addToDay(draft, record, 1, record.cost);
}

/**
 * Replaces what the sweep charged for a request by what it cost; nothing if it did not charge it, or if
 * the cost is not known either.
 *
 * @returns the difference, which is negative if the sweep charged more.
 */
export function correctSweep(draft: Draft, record: UsageRecord): NanoUsd {
  const key = usageKey(record.accountId, record.day, record.requestId);
  const [swept] = draft.get(key) as readonly UsageRecord[] | null ?? [];
  if (swept?.costFrom !== "sweep" || record.costFrom !== "provider") return 0n;
  draft.set(key, [record]);
  draft.set(outboxKey(record.requestId), { accountId: record.accountId, day: record.day });
  const difference = record.cost - swept.cost;
  addToDay(draft, record, 0, difference);
  return difference;
}

/** Notes in a request's day that its cost is suspect (`suspect_cost.ts`). */
export function countSuspect(draft: Draft, { accountId, day }: UsageRecord): void {
  const book = readDay(draft, accountId, day);
  writeDay(draft, accountId, day, { ...book, suspectCosts: (book.suspectCosts ?? 0) + 1 });
}

function addToDay(
  draft: Draft,
  { accountId, day, endpoint }: UsageRecord,
  requests: number,
  spent: NanoUsd,
) {
  const book = readDay(draft, accountId, day);
  const before = book.byEndpoint[endpoint] ?? { requests: 0, spent: 0n };
  const after = { requests: before.requests + requests, spent: before.spent + spent };
  writeDay(draft, accountId, day, {
    ...book,
    spent: book.spent + spent,
    requests: book.requests + requests,
    byEndpoint: { ...book.byEndpoint, [endpoint]: after },
  });
}

function writeDay(draft: Draft, accountId: string, day: string, book: DayBook): void {
  draft.set(dayKey(accountId, day), book);
}

function readPage(draft: Draft, accountId: string, page: string): readonly Reservation[] {
  return draft.get(reservationsKey(accountId, page)) as readonly Reservation[] | null ?? [];
}
