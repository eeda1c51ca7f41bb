/**
 * The ledger: the one place where money is reserved, settled and swept, and requests are counted. `changes.ts` has
 * these changes; here they are queued for each account (`lib/platform/kv/queue.ts`), and repeated until they are
 * durable. If the result of a commit is unknown, the repetition finds what was done, and does the rest once.
 */

import { createQueue } from "../../platform/kv/queue.ts";
import { listEntries } from "../../platform/kv/list.ts";
import { NewerVersionError, requireVersion } from "../../platform/kv/write.ts";
import { formatUsd, type NanoUsd } from "../../platform/money.ts";
import { countReserved, countSettled, countSuspectCost } from "../../platform/metrics.ts";
import type { Log } from "../../platform/log.ts";
import type { StartTimer } from "../../platform/timeout.ts";
import {
  type Admission,
  type Day,
  EMPTY_DAY,
  type Found,
  inspect,
  isUncertain,
  type KeyCap,
  moveDays,
  type Refusal,
  refusalOf,
  renew,
  reserve,
  settle,
  sweep,
  sweptRecord,
  takeBack,
} from "./changes.ts";
import { readDays } from "./read.ts";
import { dayOf, daysUntil } from "./days.ts";
import type { RatePolicy, RateState } from "./rate_window.ts";
import { createServiceFigure } from "./service_sums.ts";
import { findSuspectCost, type Settlement } from "./suspect_cost.ts";
import {
  type CapDay,
  LEDGER_VERSION,
  ledgerKey,
  type LedgerValue,
  type Reservation,
  type UsageRecord,
} from "./values.ts";

/** A request for a reservation, and the daily limits of its account and of its key. */
export interface Asked
  extends Pick<Reservation, "requestId" | "accountId" | "keyId" | "endpoint" | "model" | "amount"> {
  readonly limit: NanoUsd;
  /** Absent if only the account's limit applies. */
  readonly cap?: KeyCap | undefined;
}

/** An account's spending, and the requests that the rate limit still allows. */
interface AccountStatus extends Omit<Found, "today"> {
  /** Today first, then the days before it. */
  readonly days: readonly Day[];
}

/** Reserves, settles and sweeps, as the head of this file describes. */
export interface Ledger {
  /**
   * Resolves when a reservation is durable.
   *
   * @throws the database's error. No reservation remains then, unless the process dies, or the database is unavailable
   *   for longer than a reservation lasts.
   * @throws {NewerVersionError} if a newer version of the program wrote the account's ledger value or the cap's day.
   */
  reserve(asked: Asked): Promise<Admission>;
  /**
   * The refusal that every request of a key would get now; null if there is none. Counts and reserves nothing, and
   * leaves out the limit of all accounts.
   */
  refusal(asked: Pick<Asked, "accountId" | "limit" | "cap">): Promise<Refusal | null>;
  /** Resolves when the settlement is durable. Never rejects: it is tried again until the sweep takes over. */
  settle(reservation: Reservation, settlement: Settlement): Promise<void>;
  /** Postpones the sweep of a long request. Never rejects. */
  renew(reservation: Reservation): Promise<void>;
  /** Charges the reservations of all accounts that are past their deadline; returns their number. */
  sweep(): Promise<number>;
  /** An account's status after all earlier changes of this process, read from the database. */
  status(accountId: string, days: number, cap?: KeyCap): Promise<AccountStatus>;
  /** An account's rate limit as last known to this process: costs one read at most. */
  rate(accountId: string): Promise<RateState>;
  /** Resolves when all requested changes are durable. */
  flush(): Promise<void>;
}

/** The dependencies of the ledger. */
interface LedgerOptions {
  readonly kv: Deno.Kv;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly policy: RatePolicy;
  /** How long a request may be silent before the sweep charges its reservation. */
  readonly reservationSeconds: number;
  /** The limit of all accounts together in a UTC day; absent for none. */
  readonly serviceLimit?: NanoUsd | undefined;
  /** Whether usage records are marked for ClickHouse. */
  readonly hasOutbox?: boolean;
  readonly log: Pick<Log, "warn" | "error">;
  /** Timers and randomness; those of the platform by default. */
  readonly startTimer?: StartTimer;
  readonly random?: () => number;
}

const FIRST_PAUSE_MILLISECONDS = 100;
const LONGEST_PAUSE_MILLISECONDS = 5_000;
const MAX_MODEL_LENGTH = 100;

/** Creates the ledger of this process. */
export function createLedger(options: LedgerOptions): Ledger {
  const { kv, now, sleep, policy, serviceLimit, hasOutbox = false, log } = options;
  const lifetime = options.reservationSeconds * 1000;
  const queue = createQueue<LedgerValue>({
    ...options,
    keyOf: ledgerKey,
    requireKnown,
    finish: (draft) => moveDays(draft, now()),
  });
  const service = serviceLimit === undefined ? null : createServiceFigure({
    kv,
    limit: serviceLimit,
    now,
    onReached: (day) =>
      log.warn("The service's daily limit is reached: requests of all accounts are refused.", {
        day,
        limitUsd: formatUsd(serviceLimit),
      }),
  });
  const running = new Set<Promise<unknown>>();

  /** Registers work that no request waits for, so that `flush` waits for it. */
  function tracked<T>(work: Promise<T>): Promise<T> {
    running.add(work);
    return work.finally(() => running.delete(work));
  }

  /**
   * Repeats a change until it is made. Returns null once the sweep will charge the reservation, and for a value of a
   * newer version, whose sweep does.
   */
  async function persist<R>(
    { accountId, requestId, deadline }: Reservation,
    change: Parameters<typeof queue.run<R>>[1],
  ): Promise<R | null> {
    // A late call also gets the full time: the machine may have been suspended.
    const endsAt = Math.max(deadline, now() + lifetime);
    for (let pause = FIRST_PAUSE_MILLISECONDS;; pause *= 2) {
      try {
        return await queue.run(accountId, change, { lazy: true });
      } catch (cause) {
        const isOver = now() > endsAt || cause instanceof NewerVersionError;
        const what = isOver ? "the sweep will charge the reservation" : "it will be tried again";
        log.error(`A booking failed: ${what}.`, { requestId, accountId, cause });
        if (isOver) return null;
        await sleep(Math.min(pause, LONGEST_PAUSE_MILLISECONDS));
      }
    }
  }

  async function reserveFor({ limit, cap, ...asked }: Asked): Promise<Admission> {
    const at = now();
    const day = dayOf(at);
    const { requestId, accountId, keyId, endpoint, amount } = asked;
    const model = shorten(asked.model);
    const request = { requestId, accountId, keyId, day, endpoint, model, amount, at };
    const reservation: Reservation = {
      ...request,
      deadline: at + lifetime,
      ...cap && { capId: cap.id },
    };
    const part = await service?.take(amount, day);
    const limits = { limit, cap, policy, now, serviceLeft: part?.left };
    try {
      const admission = await queue.run(accountId, reserve(reservation, limits));
      part?.end(admission.admitted);
      if (admission.admitted) countReserved(endpoint, amount);
      return admission;
    } catch (error) {
      // The caller gets no response, so nothing may stay reserved. Until the next read, the amount counts.
      part?.end(true);
      if (!(error instanceof NewerVersionError)) {
        void tracked(persist(reservation, takeBack(reservation)));
      }
      throw error;
    }
  }

  async function settleFor(reservation: Reservation, settlement: Settlement): Promise<void> {
    const record = settledRecord(reservation, settlement, now());
    const { endpoint } = record;
    const suspect = findSuspectCost(reservation, settlement);
    if (suspect !== null) {
      log.warn(suspect.message, suspect.properties);
      countSuspectCost(endpoint, suspect.kind);
    }
    const bookingOptions = { hasOutbox, isSuspect: suspect !== null };
    const booked = await persist(reservation, settle(reservation, record, bookingOptions));
    if (booked !== null) countSettled(endpoint, booked.spent, booked.costFrom);
  }

  /** Charges a reservation; false if it was not abandoned, or the booking failed. Never rejects. */
  async function sweepOne(reservation: Reservation): Promise<boolean> {
    const { accountId, requestId, endpoint } = reservation;
    try {
      const booked = await queue.run(accountId, sweep(reservation, now, hasOutbox));
      if (booked !== null) countSettled(endpoint, booked.spent, booked.costFrom);
      return booked !== null;
    } catch (cause) {
      log.error("A sweep failed: the next one will try again.", { requestId, accountId, cause });
      return false;
    }
  }

  /** Views an account's state today. */
  function view<R>(
    accountId: string,
    cap: KeyCap | undefined,
    judge: (found: Found) => R,
    needsFresh: (result: R) => boolean,
  ): Promise<R> {
    const place = { accountId, day: dayOf(now()), ...cap && { capId: cap.id } };
    return queue.peek(accountId, inspect(place, { policy, now }, judge, needsFresh));
  }

  return {
    reserve: reserveFor,
    refusal({ accountId, limit, cap }) {
      const limits = { limit, cap, policy, now };
      const judge = (found: Found) => refusalOf(found, limits, null);
      return view(accountId, cap, judge, (refusal) => refusal !== null && isUncertain(refusal));
    },
    settle: (reservation, settlement) => tracked(settleFor(reservation, settlement)),
    async renew(reservation) {
      await tracked(persist(reservation, renew(reservation, now() + lifetime)));
    },
    async sweep() {
      let count = 0;
      let batch: Promise<boolean>[] = [];
      const end = async () => {
        count += (await Promise.all(batch)).filter((isSwept) => isSwept).length;
        batch = [];
      };
      for await (const { value } of listEntries<Reservation>(kv, ["reservation"])) {
        if (value.deadline > now()) continue;
        if (batch.push(sweepOne(value)) === SWEPT_AT_ONCE) await end();
      }
      await end();
      return count;
    },
    async status(accountId, count, cap) {
      const { rate, today, capDay } = await view(accountId, cap, (found) => found, () => true);
      const days = daysUntil(today.day, count).slice(1);
      const found = await readDays(kv, accountId, days);
      const before = days.map((day, at) => ({ day, sums: found[at] ?? EMPTY_DAY }));
      return { rate, capDay, days: [today, ...before] };
    },
    rate: (accountId) => view(accountId, undefined, ({ rate }) => rate, () => false),
    async flush() {
      do {
        await queue.flush();
        await Promise.all(running);
      } while (running.size > 0);
    },
  };
}

/** Reservations that the sweep charges at a time. */
const SWEPT_AT_ONCE = 100;

/** @throws {NewerVersionError} for an account's ledger value or a cap's day of a newer version. */
function requireKnown(key: Deno.KvKey, value: unknown): void {
  // A day has no version: its sums limit nothing once it has left the ledger value.
  if (key[0] !== "day") requireVersion(key, value as LedgerValue | CapDay | null, LEDGER_VERSION);
}

/** Shortens a model's name, which the caller chooses. */
function shorten(model: string | null): string | null {
  return model === null ? null : model.slice(0, MAX_MODEL_LENGTH);
}

function settledRecord(
  reservation: Reservation,
  { cost, model, inputTokens, outputTokens, status }: Settlement,
  endedAt: number,
): UsageRecord {
  return {
    ...sweptRecord(reservation),
    model: shorten(model ?? reservation.model),
    cost: cost ?? reservation.amount,
    costFrom: cost === null ? "reservation" : "provider",
    inputTokens: inputTokens ?? null,
    outputTokens: outputTokens ?? null,
    status,
    durationMs: Math.max(0, endedAt - reservation.at),
  };
}
