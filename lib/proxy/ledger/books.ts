/**
 * The books: the ledger's values, their keys, and their change by each booking. Only the ledger
 * writes them.
 *
 * A day's `spent` is always the sum of its usage records, and its `reserved` the sum of its open
 * reservations, even after a crash. So each function that opens or closes a reservation, or books a cost,
 * changes the day's sums in the same draft (`lib/platform/kv/group_commit.ts`), and with them the service's day.
 */

import type { Draft } from "../../platform/kv/group_commit.ts";
import { getEntries, getEntry, listEntries } from "../../platform/kv/list.ts";
import type { LeaveOut } from "../../platform/kv/formats.ts";
import type { NanoUsd } from "../../platform/money.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";
import { type Allowance, LIFETIME_MILLISECONDS } from "./allowance.ts";
import { addToServiceDay } from "./service_day.ts";
import { EMPTY_WINDOW, type RatePolicy, type RateWindow } from "./rate_window.ts";

/** Money reserved for a request in progress: an upper estimate of its cost. */
export interface Reservation {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  /** The UTC day of the admission, `2026-11-21`; the settlement is booked on it too. */
  readonly day: string;
  readonly endpoint: string;
  /** The requested model, if any. */
  readonly model: string | null;
  readonly amount: NanoUsd;
  /** Epoch milliseconds of the admission. */
  readonly at: number;
  /** Epoch milliseconds after which the request counts as abandoned, and the sweep charges it. */
  readonly deadline: number;
  /** The {@linkcode KeyCap} that it counts towards; absent if its key has none. */
  readonly capId?: string;
}

/** A reservation that a request holds, and the batch in which it is stored. */
export interface Hold extends Reservation {
  readonly batch: string;
}

/** How a request ended. */
export interface Settlement {
  /** Its cost; null if the cost is unknown, and the reserved amount is charged instead. */
  readonly cost: NanoUsd | null;
  /** The beginning of the stated cost, if it is not a plausible amount. */
  readonly unusableCost?: string;
  readonly model?: string | null;
  readonly inputTokens?: number | null;
  readonly outputTokens?: number | null;
  /** The status that the caller got. */
  readonly status: number;
}

/** A finished request: its cost and its end. */
export interface UsageRecord extends Omit<Reservation, "amount" | "deadline" | "capId"> {
  /** The model that answered, or else the requested one. */
  readonly model: string | null;
  readonly cost: NanoUsd;
  /** The source of the cost: the provider's statement, or the reserved amount, at a settlement or a sweep. */
  readonly costFrom: "provider" | "reservation" | "sweep";
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** The status that the caller got; null if the request was swept. */
  readonly status: number | null;
  /** From the admission to the last byte; null if the request was swept. */
  readonly durationMs: number | null;
}

/** An account's day. */
export interface DayBook {
  readonly spent: NanoUsd;
  readonly reserved: NanoUsd;
  /** Usage records of the day. */
  readonly requests: number;
  readonly byEndpoint: Readonly<
    Record<string, { readonly requests: number; readonly spent: NanoUsd }>
  >;
  /** Requests with a suspect cost (`suspect_cost.ts`); absent if there are none. */
  readonly suspectCosts?: number;
}

/** A key's own daily limit, below the account's. */
export interface KeyCap {
  /** The id of the key for which it was set. Keys that replace that key count towards the same cap. */
  readonly id: string;
  readonly limitNanoUsd: NanoUsd;
}

/** The sums that the keys of a cap have spent and reserved on a day. */
export interface CapDay {
  readonly spent: NanoUsd;
  readonly reserved: NanoUsd;
}

/** The limits of an account's next requests besides its day: the sliding window, and the allowances of isolates. */
export interface Rate extends RateWindow {
  /** Absent if there are none, or if a version that does not know them wrote the value. */
  readonly allowances?: readonly Allowance[];
}

/** A day without requests. */
export const EMPTY_DAY: DayBook = { spent: 0n, reserved: 0n, requests: 0, byEndpoint: {} };
export const EMPTY_CAP_DAY: CapDay = { spent: 0n, reserved: 0n };

/** The UTC day of a moment (epoch milliseconds). */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** Epoch milliseconds at which a day ends. */
export function endOfDay(day: string): number {
  return Date.parse(day) + DAY_MILLISECONDS;
}

/** The last `count` days up to and including `day`, the latest first. */
export function daysUntil(day: string, count: number): string[] {
  return Array.from({ length: count }, (_, ago) => dayOf(Date.parse(day) - ago * DAY_MILLISECONDS));
}

/** An account's {@linkcode DayBook}. */
export const dayKey = (accountId: string, day: string): Deno.KvKey => ["spend", accountId, day];

/** All days of an account. */
export const daysPrefix = (accountId: string): Deno.KvKey => ["spend", accountId];

/** The {@linkcode CapDay} of a key's cap. */
export function capDayKey(accountId: string, day: string, capId: string): Deno.KvKey {
  return [...capDaysPrefix(accountId), day, capId];
}

/** All days of the caps of an account's keys. */
export const capDaysPrefix = (accountId: string): Deno.KvKey => ["spend_of_key", accountId];

/** An account's {@linkcode Rate}. */
export const rateKey = (accountId: string): Deno.KvKey => ["rate", accountId];

/** A batch (a list) of open reservations: one isolate adds to it; that isolate or the sweep empties it. */
export function reservationsKey(accountId: string, batch: string): Deno.KvKey {
  return [...RESERVATIONS, accountId, batch];
}

/** All open reservations. */
export const RESERVATIONS = ["reservations"] as const;

/** A batch (a list) of usage records: those of one commit that settled, or one that was swept. */
export function usageKey(accountId: string, day: string, batch: string): Deno.KvKey {
  return [...usagePrefix(accountId, day), batch];
}

/** All usage records of an account's day. */
export function usagePrefix(accountId: string, day: string): Deno.KvKey {
  return [...usagesPrefix(accountId), day];
}

/** All usage records of an account. */
export const usagesPrefix = (accountId: string): Deno.KvKey => ["usage", accountId];

/** The batch of the one usage record that a sweep writes, named after the request. */
export const sweptKey = (
  { accountId, day, requestId }: Pick<Reservation, "accountId" | "day" | "requestId">,
): Deno.KvKey => usageKey(accountId, day, requestId);

/** Marks a batch of usage records that has not reached the analytics store: `{accountId, day}`. */
export const outboxKey = (batch: string): Deno.KvKey => [...OUTBOX, batch];

/** All batches that have not reached the analytics store. */
export const OUTBOX = ["outbox"] as const;

/** Reads an account's day from the database, outside the ledger. */
export async function readDayBook(kv: Deno.Kv, accountId: string, day: string): Promise<DayBook> {
  return (await getEntry<DayBook>(kv, dayKey(accountId, day))).value ?? EMPTY_DAY;
}

/** Reads days of an account from the database, in the order of `days`. One of a newer format counts as empty. */
export async function readDayBooks(
  kv: Deno.Kv,
  accountId: string,
  days: readonly string[],
  leaveOut: LeaveOut,
): Promise<DayBook[]> {
  const keys = days.map((day) => dayKey(accountId, day));
  const entries = await getEntries<DayBook>(kv, keys, leaveOut);
  return entries.map(({ value }) => value ?? EMPTY_DAY);
}

/** Every day of the caps of an account's keys, in order; values of a newer format are left out. */
export async function* listCapDays(
  kv: Deno.Kv,
  accountId: string,
): AsyncGenerator<CapDay & { readonly day: string; readonly capId: string }> {
  const prefix = capDaysPrefix(accountId);
  for await (const { key, value } of listEntries<CapDay>(kv, prefix, { leaveOut() {} })) {
    const [day, capId] = key.slice(prefix.length).map(String);
    if (day !== undefined && capId !== undefined) yield { day, capId, ...value };
  }
}

// The casts below are safe, because only this file writes these values.

/** An account's day, empty at first. */
export function readDay(draft: Draft, accountId: string, day: string): DayBook {
  return draft.get(dayKey(accountId, day)) as DayBook | null ?? EMPTY_DAY;
}

/** A cap's day, empty at first. */
export function readCapDay(
  draft: Draft,
  { accountId, day, capId }: Pick<Reservation, "accountId" | "day"> & { readonly capId: string },
): CapDay {
  return draft.get(capDayKey(accountId, day, capId)) as CapDay | null ?? EMPTY_CAP_DAY;
}

/** An account's rate, empty at first. */
export function readRate(draft: Draft, accountId: string): Rate {
  return draft.get(rateKey(accountId)) as Rate | null ?? EMPTY_WINDOW;
}

/** Replaces an account's rate. */
export function writeRate(
  draft: Draft,
  accountId: string,
  rate: Rate,
  { windowSeconds }: RatePolicy,
): void {
  const expireIn = Math.max(windowSeconds * 1000, LIFETIME_MILLISECONDS);
  draft.set(rateKey(accountId), rate, { expireIn });
}

/** Opens a reservation; returns how many its batch then holds. */
export function openReservation(draft: Draft, { batch, ...reservation }: Hold): number {
  const { accountId, amount } = reservation;
  const open = [...readBatch(draft, accountId, batch), reservation];
  draft.set(reservationsKey(accountId, batch), open);
  addReserved(draft, { ...reservation, batch }, amount);
  return open.length;
}

/** The reservation as it is now, or null if it is closed. */
export function findReservation(draft: Draft, { accountId, batch, requestId }: Hold): Hold | null {
  const found = readBatch(draft, accountId, batch).find((each) => each.requestId === requestId);
  return found === undefined ? null : { ...found, batch };
}

/** Whether a reservation was made: it is open, or was swept since. */
export function wasReserved(draft: Draft, hold: Hold): boolean {
  return findReservation(draft, hold) !== null || draft.get(sweptKey(hold)) !== null;
}

/** Replaces an open reservation by another version with the same amount and day. */
export function replaceReservation(draft: Draft, { batch, ...reservation }: Hold): void {
  const { accountId, requestId } = reservation;
  const others = readBatch(draft, accountId, batch).filter((each) => each.requestId !== requestId);
  draft.set(reservationsKey(accountId, batch), [...others, reservation]);
}

/** Closes an open reservation: its amount is no longer reserved. */
export function closeReservation(draft: Draft, hold: Hold): void {
  const { accountId, amount, requestId, batch } = hold;
  const others = readBatch(draft, accountId, batch).filter((each) => each.requestId !== requestId);
  const key = reservationsKey(accountId, batch);
  if (others.length === 0) draft.delete(key);
  else draft.set(key, others);
  addReserved(draft, hold, -amount);
}

/** Rewrites a day unchanged, so that a late commit that checks its old version fails. */
export function touchDay(draft: Draft, { accountId, day }: Hold): void {
  draft.set(dayKey(accountId, day), { ...readDay(draft, accountId, day) });
}

/** Adds the usage record of a hold to a batch of its day. Only this commit writes the batch. */
export function addUsage(draft: Draft, hold: Hold, record: UsageRecord, batch: string): void {
  const { accountId, day } = record;
  const key = usageKey(accountId, day, batch);
  const before = draft.written(key) as readonly UsageRecord[] | null ?? [];
  draft.set(key, [...before, record]);
  draft.set(outboxKey(batch), { accountId, day });
  addToDay(draft, hold, 1, record.cost);
}

/**
 * Replaces the amount that the sweep charged for a request by its stated cost. Does nothing if the sweep did
 * not charge the request, or if no cost was stated.
 *
 * @returns the difference, which is negative if the sweep charged more.
 */
export function correctSweep(draft: Draft, hold: Hold, record: UsageRecord): NanoUsd {
  const { accountId, day, requestId } = record;
  const [swept] = draft.get(sweptKey(record)) as readonly UsageRecord[] | null ?? [];
  if (swept?.costFrom !== "sweep" || record.costFrom !== "provider") return 0n;
  draft.set(sweptKey(record), [record]);
  draft.set(outboxKey(requestId), { accountId, day });
  const difference = record.cost - swept.cost;
  addToDay(draft, hold, 0, difference);
  return difference;
}

/** Adds a request to its day's count of suspect costs (`suspect_cost.ts`). */
export function countSuspect(draft: Draft, { accountId, day }: UsageRecord): void {
  const book = readDay(draft, accountId, day);
  draft.set(dayKey(accountId, day), { ...book, suspectCosts: (book.suspectCosts ?? 0) + 1 });
}

function addToDay(draft: Draft, hold: Hold, requests: number, spent: NanoUsd): void {
  const { accountId, day, endpoint } = hold;
  const book = readDay(draft, accountId, day);
  const before = book.byEndpoint[endpoint] ?? { requests: 0, spent: 0n };
  const after = { requests: before.requests + requests, spent: before.spent + spent };
  draft.set(dayKey(accountId, day), {
    ...book,
    spent: book.spent + spent,
    requests: book.requests + requests,
    byEndpoint: { ...book.byEndpoint, [endpoint]: after },
  });
  addToOthers(draft, hold, { spent, reserved: 0n });
}

function addReserved(draft: Draft, hold: Hold, amount: NanoUsd): void {
  const { accountId, day } = hold;
  const book = readDay(draft, accountId, day);
  draft.set(dayKey(accountId, day), { ...book, reserved: book.reserved + amount });
  addToOthers(draft, hold, { spent: 0n, reserved: amount });
}

/** Adds the amounts that were added to an account's day to the service's sum and to the cap's. */
function addToOthers(
  draft: Draft,
  { accountId, day, capId, batch }: Hold,
  { spent, reserved }: CapDay,
): void {
  addToServiceDay(draft, day, batch, spent + reserved);
  if (capId === undefined) return;
  const before = readCapDay(draft, { accountId, day, capId });
  const after = { spent: before.spent + spent, reserved: before.reserved + reserved };
  draft.set(capDayKey(accountId, day, capId), after);
}

function readBatch(draft: Draft, accountId: string, batch: string): readonly Reservation[] {
  return draft.get(reservationsKey(accountId, batch)) as readonly Reservation[] | null ?? [];
}
