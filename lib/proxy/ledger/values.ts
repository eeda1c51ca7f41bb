/**
 * The stored values of the books, and their keys; STORAGE.md has an example of each. The transitions of
 * `transitions.ts` write them. A correction (`reconcile.ts`) and a restore write them too, and `retention.ts` removes days.
 */

import type { NanoUsd } from "../../platform/money.ts";

/** The version of ledger values. A process that reads a larger one refuses, and writes nothing. */
export const LEDGER_VERSION = 2;

/**
 * An account's ledger value, which every commit of the account's transitions replaces: its money and its rate limit.
 */
export interface LedgerValue {
  readonly version: number;
  /**
   * Admitted requests of the sliding window, by slot (at most 120), the oldest first. Each has two numbers in the list:
   * the time of its last one, in epoch milliseconds, and how many there are. One list of numbers is stored in half the
   * time of a list of pairs.
   */
  readonly rate: readonly number[];
  /** Today and yesterday, and older days while something is reserved in them, by UTC day (`2026-11-21`). */
  readonly days: Readonly<Record<string, DaySums>>;
}

/** An account without requests. */
export const EMPTY_LEDGER: LedgerValue = { version: LEDGER_VERSION, rate: [], days: {} };

/** An account's UTC day. `spent` is the sum of its usage records, `reserved` that of its open reservations. */
export interface DaySums {
  readonly spent: NanoUsd;
  readonly reserved: NanoUsd;
  /** Usage records of the day, without corrections. */
  readonly requests: number;
  readonly byEndpoint: Readonly<Record<string, RequestSums>>;
  /** By key, of {@linkcode MAX_KEYS} at most; those of further keys are one sum, under {@linkcode OTHER_KEYS}. */
  readonly byKey?: Readonly<Record<string, RequestSums>>;
  /** Requests with a suspect cost (`ledger.ts`); absent if there are none. */
  readonly suspectCosts?: number;
  /** The sums of the keys that share a cap, by its id, {@linkcode MAX_CAPS} at most; absent if there are none. */
  readonly caps?: Readonly<Record<string, CapDay>>;
}

/**
 * The caps that an account's day holds: some 60 bytes each, so that two days stay far below the 64 KiB of a value. An
 * account has 20 keys at a time. Without room for another cap, the requests of its keys are refused until midnight.
 */
export const MAX_CAPS = 300;

/** The keys of which an account's day holds the sums: an owner has 20 at a time, but operators may make any number. */
export const MAX_KEYS = 100;

/** Stands for the keys that came when a day had the sums of as many as it holds. */
export const OTHER_KEYS = "others";

/** The sums of an account's requests of one endpoint, or of one key, on a day. */
export interface RequestSums {
  readonly requests: number;
  /** Those with a status from 400, and swept ones, which have none. */
  readonly failures: number;
  readonly spent: NanoUsd;
}

/** The sums of the keys that share a cap, on a day. */
export interface CapDay {
  readonly spent: NanoUsd;
  readonly reserved: NanoUsd;
}

/** Money set aside for a request in progress: an upper estimate of its cost. */
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
  /** The cap that it counts towards; absent if its key has none. */
  readonly capId?: string;
}

/** A finished request, with its cost and its end; or a correction of a charge by an operator (`correction.ts`). */
export interface UsageRecord extends Omit<Reservation, "amount" | "deadline" | "capId"> {
  /** The model that answered, or else the requested one. */
  readonly model: string | null;
  readonly cost: NanoUsd;
  /**
   * The source of the cost: `provider` for what it stated, or for zero where nothing is owed (the request was not sent,
   * or failed without a stated cost). With `reservation` and `sweep` the reserved amount was charged. With `operator` it
   * is the amount of a correction, which is no request, and negative if it was booked back.
   */
  readonly costFrom: "provider" | "reservation" | "sweep" | "operator";
  /** Why an operator corrected a charge, which the member reads; absent for requests. */
  readonly reason?: string;
  /** The request whose charge is corrected, if the operator named it. */
  readonly corrects?: string;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** The status that the caller got; null if the request was swept. */
  readonly status: number | null;
  /** From the admission to the last byte; null if the request was swept. */
  readonly durationMs: number | null;
}

/** An account's {@linkcode LedgerValue}. */
export const ledgerKey = (accountId: string): Deno.KvKey => ["ledger", accountId];

/**
 * A day of an account: `{}` from the account's first reservation of the day on, its {@linkcode DaySums} once the
 * day has left the ledger value.
 */
export const dayKey = (day: string, accountId: string): Deno.KvKey => ["day", day, accountId];

/** An open {@linkcode Reservation}. */
export function reservationKey(
  { accountId, requestId }: Pick<Reservation, "accountId" | "requestId">,
): Deno.KvKey {
  return ["reservation", accountId, requestId];
}

/** A {@linkcode UsageRecord}; an account's records of a day are in the order of their admission. */
export function usageKey(
  { accountId, day, at, requestId }: Pick<UsageRecord, "accountId" | "day" | "at" | "requestId">,
): Deno.KvKey {
  return ["usage", accountId, day, at, requestId];
}

/**
 * Marks a usage record that has not reached ClickHouse; its value is the record's key. Written only where ClickHouse is
 * configured.
 */
export const outboxKey = (requestId: string): Deno.KvKey => ["outbox", requestId];

/** All records that have not reached ClickHouse. */
export const OUTBOX = ["outbox"] as const;

/** The sums of all accounts on a day, which only grow (`service_sums.ts`). */
export const SERVICE_SUMS = ["used", "released"] as const;

/** One of the {@linkcode SERVICE_SUMS} of a day, a `Deno.KvU64` of nano-dollars. */
export function serviceSumKey(day: string, sum: (typeof SERVICE_SUMS)[number]): Deno.KvKey {
  return ["service", day, sum];
}
