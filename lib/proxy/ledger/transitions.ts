/**
 * The transitions of money, as functions without I/O, which may run again, over an account's ledger value (`values.ts`)
 * and the entries beside it:
 *
 *   reserve   counts a request, and reserves an upper estimate of its cost
 *   settle    books the cost and closes the reservation
 *   sweep     books the reserved amount, if the process that reserved it has gone
 *   correct   books what an operator adds to a day's charges, or takes back
 *
 * A day's `spent` is always the sum of its usage records, and its `reserved` the sum of its open reservations. So
 * `reserved` falls only in a commit that deletes a reservation which is open at the checked version of the ledger
 * value. Days, reservations and usage records are written only in commits that rewrite the ledger value; so
 * an entry that was read after a version of it is right for a commit that checks this version.
 */

import type { KeyCap } from "../../accounts/key.ts";
import type { NanoUsd } from "../../platform/money.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";
import type { BookingKey, Transaction, Transition } from "./internal/queue.ts";
import { countRequest, type RatePolicy, type RateState, rateStateAt } from "./rate_window.ts";
import {
  type CapDay,
  dayKey,
  type DaySums,
  MAX_CAPS,
  MAX_KEYS,
  OTHER_KEYS,
  outboxKey,
  type RequestSums,
  type Reservation,
  reservationKey,
  serviceSumKey,
  usageKey,
  type UsageRecord,
} from "./values.ts";

/** The limits that apply to an account's requests. */
interface Limits {
  /** The account's daily limit. */
  readonly limit: NanoUsd;
  /** Absent if only the account's limit applies. */
  readonly cap?: KeyCap | undefined;
  readonly policy: RatePolicy;
  /** Epoch milliseconds: a request counts towards the rate limit when it is admitted, which may be after its `at`. */
  readonly now: () => number;
  /** The rest of the limit of all accounts together; absent if there is none. */
  readonly serviceLeft?: NanoUsd | undefined;
}

/** An account's day. */
export interface Day {
  readonly day: string;
  readonly sums: DaySums;
}

/** The state of an account, and of the key's cap. */
export interface Found {
  readonly rate: RateState;
  readonly today: Day;
  /** Null if the key has no cap. */
  readonly capDay: CapDay | null;
}

/** A limit of money. */
type Scope = "account" | "key" | "service";

/** The refusal of a request above the rate limit. */
interface RateLimited extends Found {
  readonly admitted: false;
  readonly reason: "rate";
  readonly scope: null;
}

/** The refusal of a request above a limit of money. */
export interface OverDailyLimit extends Found {
  readonly admitted: false;
  /**
   * The limit, if it is reached; or `open`: the estimate does not fit below what is left of it, and requests are in
   * progress: under the cap for a key's limit, else of the account. Without them it is admitted, as the last one.
   */
  readonly reason: "open" | Scope;
  readonly scope: Scope;
  /**
   * With `open`: epoch milliseconds at which the last of these requests is charged, if a crash has ended them. Absent
   * if one of them is known to be in progress.
   */
  readonly until?: number;
}

/** Why a request was refused. */
export type Refusal = RateLimited | OverDailyLimit;

/** The answer to a request for a reservation, with the account's state after it. */
export type Admission =
  | (Found & { readonly admitted: true; readonly reservation: Reservation })
  | Refusal;

/** Usage records; after that, only ClickHouse has them. */
export const USAGE_DAYS = 100;
const USAGE_LIFETIME = { expireIn: USAGE_DAYS * DAY_MILLISECONDS };

/** A day without requests. */
export const EMPTY_DAY: DaySums = { spent: 0n, reserved: 0n, requests: 0, byEndpoint: {} };
const EMPTY_CAP_DAY: CapDay = { spent: 0n, reserved: 0n };

/** Makes a reservation, or says why not. */
export function reserve(reservation: Reservation, limits: Limits): Transition<Admission> {
  return {
    of: reservation,
    skipFirstRead: true,
    apply(transaction) {
      const { day, amount } = reservation;
      const key = reservationKey(reservation);
      // An earlier attempt was made although it met a conflict; the sweep may have charged it since.
      const isMade = (transaction.get(key) ?? transaction.get(usageKey(reservation))) !== null;
      if (!isMade) {
        const refusal = refusalOf(stateOf(transaction, reservation, limits), limits, amount);
        if (refusal !== null) return refusal;
        const rate = countRequest(transaction.value.rate, limits.policy, limits.now());
        transaction.value = { ...transaction.value, rate };
        transaction.set(key, reservation, { isOpen: true });
        changeDay(transaction, reservation, (day) => withReserved(day, reservation, amount));
        if (limits.serviceLeft !== undefined) addUsed(transaction, day, amount);
      }
      return { ...stateOf(transaction, reservation, limits), admitted: true, reservation };
    },
    mustReread: (admission) => !admission.admitted && isUncertain(admission),
  };
}

/**
 * Whether a refusal by a ledger value in memory may be wrong. No other process can make room in a full rate window,
 * and the ledger value does not have what is left of the service's limit.
 */
export function isUncertain({ reason }: Refusal): boolean {
  return reason !== "rate" && reason !== "service";
}

/**
 * The refusal of a request in a state; null if it is admitted.
 *
 * @param amount its estimate; null for a request that fits in any case.
 */
export function refusalOf(
  { rate, today, capDay }: Found,
  { limit, cap, serviceLeft }: Limits,
  amount: NanoUsd | null,
): Refusal | null {
  const refused = { admitted: false, rate, today, capDay } as const;
  if (rate.remaining === 0) return { ...refused, reason: "rate", scope: null };
  const { spent, reserved } = today.sums;
  const room: { scope: Scope; left: NanoUsd; reserved: NanoUsd }[] = [
    { scope: "account", left: limit - spent - reserved, reserved },
  ];
  if (cap !== undefined && capDay !== null) {
    const { caps = {} } = today.sums;
    const hasRoom = cap.id in caps || Object.keys(caps).length < MAX_CAPS;
    const left = hasRoom ? cap.limitNanoUsd - capDay.spent - capDay.reserved : 0n;
    room.push({ scope: "key", left, reserved: capDay.reserved });
  }
  if (serviceLeft !== undefined) room.push({ scope: "service", left: serviceLeft, reserved });
  for (const { scope, left } of room) if (left <= 0n) return { ...refused, reason: scope, scope };
  for (const { scope, left, reserved } of room) {
    if (amount !== null && amount > left && reserved > 0n) {
      return { ...refused, reason: "open", scope };
    }
  }
  return null;
}

/** Whether an open reservation counts against the limit by which another one does not fit. */
export function isInTheWay(open: Reservation, asked: Reservation, scope: Scope): boolean {
  return open.accountId === asked.accountId && open.day === asked.day &&
    (scope !== "key" || open.capId === asked.capId);
}

/** Judges the state of an account, and writes nothing. */
export function inspect<R>(
  booking: BookingKey,
  limits: Pick<Limits, "policy" | "now">,
  judge: (found: Found) => R,
  mustReread: (result: R) => boolean,
): Transition<R> {
  return {
    of: booking,
    apply: (transaction) => judge(stateOf(transaction, booking, limits)),
    mustReread,
  };
}

/** The state of an account for a request of a day. */
function stateOf(
  transaction: Transaction,
  booking: BookingKey,
  { policy, now }: Pick<Limits, "policy" | "now">,
): Found {
  const { day, capId } = booking;
  const sums = dayOfBooking(transaction, booking);
  return {
    rate: rateStateAt(transaction.value.rate, policy, now()),
    today: { day, sums },
    capDay: capId === undefined ? null : sums.caps?.[capId] ?? EMPTY_CAP_DAY,
  };
}

/** How a settlement or a sweep ended: the amount by which the account's spending changed. */
interface Booked {
  readonly spent: NanoUsd;
  /** Of the record that was written; but `sweep` for a settlement that corrects what the sweep has charged. */
  readonly costFrom: UsageRecord["costFrom"];
}

/** How records are written. */
interface BookingOptions {
  /** Whether records are marked for ClickHouse. */
  readonly hasOutbox: boolean;
  /** Whether there is a limit of all accounts together, so that their sums are kept. */
  readonly hasServiceLimit: boolean;
  /** Whether the request's cost is suspect. */
  readonly isSuspect?: boolean;
}

/**
 * Settles a request. If its reservation is gone, either the sweep has charged it, and the difference is booked; or
 * an earlier attempt of this settlement was made, and nothing is.
 */
export function settle(
  reservation: Reservation,
  record: UsageRecord,
  options: BookingOptions,
): Transition<Booked | null> {
  return {
    of: reservation,
    apply(transaction) {
      const { cost, costFrom } = record;
      const open = transaction.get<Reservation>(reservationKey(reservation));
      if (open !== null) {
        close(transaction, open, record, options);
        return { spent: cost, costFrom };
      }
      return costFrom === "provider"
        ? correctSwept(transaction, reservation, record, options)
        : null;
    },
  };
}

/** Charges a reservation that is past its deadline; results in null if it is not, or is closed. */
export function sweep(
  reservation: Reservation,
  now: () => number,
  options: BookingOptions,
): Transition<Booked | null> {
  return {
    of: reservation,
    apply(transaction) {
      const open = transaction.get<Reservation>(reservationKey(reservation));
      // A running request has renewed it since the sweep saw it.
      if (open === null || open.deadline > now()) return null;
      const record = sweptRecord(open);
      close(transaction, open, record, options);
      return { spent: record.cost, costFrom: "sweep" };
    },
  };
}

/** Postpones the sweep of a request, unless its reservation is closed. */
export function renew(reservation: Reservation, deadline: number): Transition<void> {
  return {
    of: reservation,
    apply(transaction) {
      const open = transaction.get<Reservation>(reservationKey(reservation));
      if (open === null) return;
      // A renewal that had to be repeated may come after a later one.
      const latest = Math.max(open.deadline, deadline);
      transaction.set(reservationKey(open), { ...open, deadline: latest }, { isOpen: true });
    },
  };
}

/**
 * Takes back a reservation whose commit failed with an unknown outcome. If it was not made yet, this commit rewrites
 * the ledger value, so that the late one fails. If the sweep has charged it, its record is corrected: it cost nothing.
 */
export function takeBack(reservation: Reservation, options: BookingOptions): Transition<void> {
  return {
    of: reservation,
    apply(transaction) {
      const open = transaction.get<Reservation>(reservationKey(reservation));
      if (open !== null) close(transaction, open, null, options);
      else correctSwept(transaction, reservation, freeRecord(reservation), options);
    },
  };
}

/**
 * Books a correction, and what `note` writes, in one commit. Results in what the day's charges come to, negative if it
 * books back more than they were; then nothing is written.
 */
export function correct(
  record: UsageRecord,
  { hasOutbox, hasServiceLimit }: BookingOptions,
  note: (transaction: Transaction) => void,
): Transition<NanoUsd> {
  const { requestId, accountId, keyId, day, endpoint, model, at, cost } = record;
  return {
    of: { requestId, accountId, keyId, day, endpoint, model, at, amount: 0n, deadline: at },
    apply(transaction) {
      const { spent } = dayOfBooking(transaction, record);
      // An earlier attempt was made.
      if (transaction.get(usageKey(record)) !== null) return spent;
      if (spent + cost < 0n) return spent + cost;
      changeDay(transaction, record, (sums) => withRecord(sums, record));
      writeRecord(transaction, record, { hasOutbox, hasServiceLimit });
      if (hasServiceLimit) addUsed(transaction, day, cost);
      note(transaction);
      return spent + cost;
    },
  };
}

/** The usage record that the sweep writes, from the reservation alone. */
export function sweptRecord(reservation: Reservation): UsageRecord {
  const { requestId, accountId, keyId, day, endpoint, model, amount, at } = reservation;
  const request = { requestId, accountId, keyId, day, endpoint, model, at };
  const ended = { ...request, status: null, durationMs: null };
  return { ...ended, inputTokens: null, outputTokens: null, cost: amount, costFrom: "sweep" };
}

/** The record of a request that got a 503 before it was sent. */
function freeRecord(reservation: Reservation): UsageRecord {
  return { ...sweptRecord(reservation), cost: 0n, costFrom: "provider", status: 503 };
}

/** The sums of a day that has left the ledger value, or has none yet. */
export function movedSums(entry: Partial<DaySums> | null | undefined): DaySums {
  // It is `{}` while the sums are in the ledger value.
  return { ...EMPTY_DAY, ...entry };
}

/** The sums of a day. A clock that was ahead may have moved them out of the ledger value. */
function dayOfBooking(transaction: Transaction, { accountId, day }: BookingKey): DaySums {
  return transaction.value.days[day] ?? movedSums(transaction.get<DaySums>(dayKey(day, accountId)));
}

function changeDay(
  transaction: Transaction,
  booking: BookingKey,
  change: (sums: DaySums) => DaySums,
): void {
  const { accountId, day } = booking;
  const sums = dayOfBooking(transaction, booking);
  const { days } = transaction.value;
  if (days[day] === undefined) transaction.set(dayKey(day, accountId), {});
  transaction.value = { ...transaction.value, days: { ...days, [day]: change(sums) } };
}

/** The sums of a day with more reserved; a negative amount is no longer. */
export function withReserved(sums: DaySums, booking: BookingKey, amount: NanoUsd): DaySums {
  return { ...withCap(sums, booking, 0n, amount), reserved: sums.reserved + amount };
}

/** The sums of a day with a change of those of the booking's cap. */
function withCap(sums: DaySums, { capId }: BookingKey, spent: NanoUsd, reserved: NanoUsd): DaySums {
  if (capId === undefined) return sums;
  const before = sums.caps?.[capId] ?? EMPTY_CAP_DAY;
  const after = {
    ...before,
    spent: before.spent + spent,
    reserved: before.reserved + reserved,
  };
  return { ...sums, caps: { ...sums.caps, [capId]: after } };
}

/** Adds what all accounts have used to the service's sums, or what they use no longer. */
function addUsed(transaction: Transaction, day: string, amount: NanoUsd): void {
  if (amount > 0n) transaction.add(serviceSumKey(day, "used"), amount);
  else if (amount < 0n) transaction.add(serviceSumKey(day, "released"), -amount);
}

/** Closes a reservation that is open, and books its record; null if it is taken back. */
function close(
  transaction: Transaction,
  open: Reservation,
  record: UsageRecord | null,
  options: BookingOptions,
): void {
  const cost = record?.cost ?? 0n;
  transaction.delete(reservationKey(open));
  changeDay(transaction, open, (day) => {
    const closed = withReserved(day, open, -open.amount);
    return record === null ? closed : withCap(withRecord(closed, record), open, cost, 0n);
  });
  if (record !== null) writeRecord(transaction, record, options);
  if (options.hasServiceLimit) addUsed(transaction, open.day, cost - open.amount);
}

/** Replaces the record of a request that the sweep has charged; null if it has not. */
function correctSwept(
  transaction: Transaction,
  booking: BookingKey,
  record: UsageRecord,
  options: BookingOptions,
): Booked | null {
  const swept = transaction.get<UsageRecord>(usageKey(record));
  if (swept?.costFrom !== "sweep") return null;
  const spent = record.cost - swept.cost;
  const failures = isFailure(record) ? 0 : -1;
  writeRecord(transaction, { ...swept, ...record }, options);
  changeDay(transaction, booking, (day) =>
    withCap(
      withRequests(day, record, { requests: 0, failures, spent }),
      booking,
      spent,
      0n,
    ));
  if (options.hasServiceLimit) addUsed(transaction, booking.day, spent);
  return { spent, costFrom: "sweep" };
}

function writeRecord(
  transaction: Transaction,
  record: UsageRecord,
  { hasOutbox, isSuspect = false }: BookingOptions,
): void {
  transaction.set(usageKey(record), record, USAGE_LIFETIME);
  if (hasOutbox) transaction.set(outboxKey(record.requestId), usageKey(record));
  if (!isSuspect) return;
  changeDay(transaction, record, (day) => ({ ...day, suspectCosts: (day.suspectCosts ?? 0) + 1 }));
}

/** Whether a record is that of a request, and not of a correction. */
export function isRequest({ costFrom }: Pick<UsageRecord, "costFrom">): boolean {
  return costFrom !== "operator";
}

/** Whether a record is that of a request that has failed. */
export function isFailure({ status, costFrom }: UsageRecord): boolean {
  if (!isRequest({ costFrom })) return false;
  return status === null || status >= 400;
}

/** The sums of a day with a change of those of a record's endpoint and key. */
function withRequests(
  day: DaySums,
  { endpoint, keyId }: UsageRecord,
  change: RequestSums,
): DaySums {
  const { byEndpoint, byKey = {} } = day;
  const isHeld = keyId in byKey || Object.keys(byKey).length < MAX_KEYS;
  const key = isHeld ? keyId : OTHER_KEYS;
  return {
    ...day,
    spent: day.spent + change.spent,
    requests: day.requests + change.requests,
    byEndpoint: { ...byEndpoint, [endpoint]: sumOf(byEndpoint[endpoint], change) },
    byKey: { ...byKey, [key]: sumOf(byKey[key], change) },
  };
}

function sumOf(before: RequestSums | undefined, change: RequestSums): RequestSums {
  // A process that knew no sums by key may have counted the failure.
  if (before === undefined) return { ...change, failures: Math.max(0, change.failures) };
  return {
    ...before,
    requests: before.requests + change.requests,
    failures: before.failures + change.failures,
    spent: before.spent + change.spent,
  };
}

/** The sums of a day with one more usage record. */
export function withRecord(day: DaySums, record: UsageRecord): DaySums {
  const failures = isFailure(record) ? 1 : 0;
  return withRequests(day, record, {
    requests: isRequest(record) ? 1 : 0,
    failures,
    spent: record.cost,
  });
}
