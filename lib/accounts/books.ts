/**
 * What the ledger writes down, and under which keys. Only the ledger writes them.
 *
 * At every moment, whatever crashed: a day's `spent` is the sum of its usage records, and its `reserved`
 * is the sum of its open reservations.
 */

import { getEntries, getEntry } from "../kv/mod.ts";
import type { NanoUsd } from "../money.ts";
import { DAY_MILLISECONDS } from "../time.ts";

/** Money set aside for a request that is on its way: an upper estimate of what it will cost. */
export interface Reservation {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  /** The UTC day of the admission, `2026-11-21`; the settlement is booked on it too. */
  readonly day: string;
  readonly endpoint: string;
  /** The model that was asked for, if any. */
  readonly model: string | null;
  readonly amount: NanoUsd;
  /** Epoch milliseconds of the admission. */
  readonly at: number;
  /** Epoch milliseconds after which nobody works on it any more, and the sweep charges it. */
  readonly deadline: number;
}

/** A reservation, and the page that it is on. */
export interface Hold {
  readonly reservation: Reservation;
  readonly page: string;
}

/** What a request cost, and how it went. */
export interface UsageRecord {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly day: string;
  readonly endpoint: string;
  /** The model that answered, or else the one that was asked for. */
  readonly model: string | null;
  readonly cost: NanoUsd;
  /** Whether the provider said what it cost; if not, the reservation was charged. */
  readonly costFrom: "provider" | "reservation" | "sweep";
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** The status that the caller got; null if nobody lived to tell. */
  readonly status: number | null;
  /** From the admission to the last byte; null if nobody lived to tell. */
  readonly durationMs: number | null;
  /** Epoch milliseconds of the admission. */
  readonly at: number;
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
  /** Requests whose stated cost was suspect (`suspect_cost.ts`); absent while there was none. */
  readonly suspectCosts?: number;
}

/** A day on which nothing happened. */
export const EMPTY_DAY: DayBook = { spent: 0n, reserved: 0n, requests: 0, byEndpoint: {} };

/** The UTC day of a moment (epoch milliseconds). */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** Epoch milliseconds at which a day ends. */
export function endOfDay(day: string): number {
  return Date.parse(day) + DAY_MILLISECONDS;
}

/** The days up to and with `day`, the latest first. */
export function daysUntil(day: string, count: number): string[] {
  return Array.from({ length: count }, (_, ago) => dayOf(Date.parse(day) - ago * DAY_MILLISECONDS));
}

/** An account's {@linkcode DayBook}. */
export const dayKey = (accountId: string, day: string): Deno.KvKey => [
  ...daysPrefix(accountId),
  day,
];

/** All days of an account. */
export const daysPrefix = (accountId: string): Deno.KvKey => ["spend", accountId];

/** An account's day so far, as the database has it; for those who only look. */
export async function readDayBook(kv: Deno.Kv, accountId: string, day: string): Promise<DayBook> {
  const entry = await getEntry<DayBook>(kv, dayKey(accountId, day));
  return entry.value ?? EMPTY_DAY;
}

/** An account's books of up to ten days, in the order of the days; for those who only look. */
export async function readDayBooks(
  kv: Deno.Kv,
  accountId: string,
  days: readonly string[],
): Promise<DayBook[]> {
  const keys = days.map((day) => dayKey(accountId, day));
  const entries = await getEntries<DayBook>(kv, keys);
  return entries.map(({ value }) => value ?? EMPTY_DAY);
}

/** An account's sliding window. */
export const rateKey = (accountId: string): Deno.KvKey => ["rate", accountId];

/** Open reservations: each page (a list) is written by one isolate, and emptied by it or the sweep. */
export const reservationsKey = (accountId: string, page: string): Deno.KvKey => [
  ...RESERVATIONS,
  accountId,
  page,
];

/** All pages of reservations. */
export const RESERVATIONS = ["reservations"] as const;

/** Usage records: a page (a list) for each commit that settled, or that swept one reservation. */
export const usageKey = (accountId: string, day: string, page: string): Deno.KvKey => [
  ...usagePrefix(accountId, day),
  page,
];

/** All pages of usage records of an account's day. */
export const usagePrefix = (
  accountId: string,
  day: string,
): Deno.KvKey => [...usagesPrefix(accountId), day];

/** All pages of usage records of an account. */
export const usagesPrefix = (accountId: string): Deno.KvKey => ["usage", accountId];

/** Says that a page of usage records has not reached the analytics store: `{accountId, day}`. */
export const outboxKey = (page: string): Deno.KvKey => [...OUTBOX, page];

/** All pages that have not reached the analytics store. */
export const OUTBOX = ["outbox"] as const;
