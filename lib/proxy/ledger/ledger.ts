/**
 * The ledger: the one place where money is reserved, settled and swept, and requests are counted.
 *
 *   reserve   before anything reaches the caller: counts the request and reserves an upper estimate of its cost,
 *             durably (`admission.ts`)
 *   settle    after the response: books the cost and closes the reservation
 *   sweep     later, if the process crashed in between: books the reserved amount as the cost
 *
 * Each is one commit, shared with others of the account (`lib/platform/kv/group_commit.ts`). If the result of a
 * commit is unknown, the step is tried again: it finds which part was already done, and does each part once.
 */

import { type Change, createGroupCommit, type Draft } from "../../platform/kv/group_commit.ts";
import { createNewerReporter, NewerFormatError } from "../../platform/kv/formats.ts";
import { listEntries } from "../../platform/kv/list.ts";
import { countSettled, countSuspectCost } from "../../platform/metrics.ts";
import type { Log } from "../../platform/log.ts";
import {
  type Admission,
  type Asked,
  type Asking,
  type Bid,
  createAdmissions,
  type Day,
  type Refusal,
  shorten,
} from "./admission.ts";
import {
  addUsage,
  type CapDay,
  capDayKey,
  closeReservation,
  correctSweep,
  countSuspect,
  dayKey,
  dayOf,
  daysUntil,
  findReservation,
  type Hold,
  type KeyCap,
  rateKey,
  readCapDay,
  readDay,
  readRate,
  replaceReservation,
  type Reservation,
  RESERVATIONS,
  reservationsKey,
  type Settlement,
  sweptKey,
  touchDay,
  type UsageRecord,
} from "./books.ts";
import { formatUsd, type NanoUsd } from "../../platform/money.ts";
import { startRealTimer, type StartTimer } from "../../platform/timeout.ts";
import { createServicePurse } from "./service_allowance.ts";
import { type RatePolicy, type RateState, rateStateAt } from "./rate_window.ts";
import { findSuspectCost } from "./suspect_cost.ts";

/** An account's spending, and the requests that the rate limit still allows. */
interface AccountStatus {
  /** Today first, then the days before it. */
  readonly days: readonly Day[];
  readonly rate: RateState;
  /** Today of the key's cap; null if none was named. */
  readonly capDay: CapDay | null;
}

/** Reserves, settles and sweeps, as the head of this file describes. */
export interface Ledger {
  /** Asks for a reservation, and says whether the provider may be called before it is durable. */
  ask(bid: Bid): Asked;
  /**
   * Resolves when a reservation is durable.
   *
   * @throws the database's error. No reservation remains then, unless the database is unavailable for longer than a
   *   reservation lasts.
   */
  reserve(bid: Bid): Promise<Admission>;
  /**
   * The refusal that every bid of a key would get now; null if there is none. Counts and reserves
   * nothing. Reads only values that are not in memory, and those that a refusal must be confirmed with.
   */
  refusal(asking: Asking): Promise<Refusal | null>;
  /** Resolves when the settlement is durable. Never rejects: it retries until the sweep takes over. */
  settle(hold: Hold, settlement: Settlement): Promise<void>;
  /** Postpones the sweep of a long request; returns the hold to settle later, or null if it is closed. */
  renew(hold: Hold): Promise<Hold | null>;
  /** Charges the reservations of all accounts that are past their deadline; returns their number. */
  sweep(): Promise<number>;
  /** An account's status after all earlier changes of this isolate, read from the database. */
  status(accountId: string, days: number, cap?: KeyCap): Promise<AccountStatus>;
  /** An account's rate limit as last known to this isolate: costs one read at most. */
  rate(accountId: string): Promise<RateState>;
  /** Resolves when all requested changes are durable. */
  flush(): Promise<void>;
  /** Gives back the service allowance of this isolate, when no more requests come. Never rejects. */
  close(): Promise<void>;
}

/** The dependencies of the ledger. */
interface LedgerOptions {
  readonly kv: Deno.Kv;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly policy: RatePolicy;
  /** How long a request may be silent before the sweep treats its reservation as abandoned. */
  readonly holdSeconds: number;
  /** The limit of all accounts together in a UTC day; absent for none. */
  readonly serviceLimit?: NanoUsd | undefined;
  readonly log: Pick<Log, "warn" | "error">;
  /** Timers, randomness and ids; those of the platform by default. */
  readonly startTimer?: StartTimer;
  readonly random?: () => number;
  readonly createId?: () => string;
}

/** The embedded analytics store puts a whole batch, with others, into one value of 64 KiB (`embedded.ts`). */
const RECORDS_PER_BATCH = 30;
const FIRST_PAUSE_MILLISECONDS = 100;
const LONGEST_PAUSE_MILLISECONDS = 5_000;

/** A batch of usage records that a commit is filling. */
interface UsageBatch {
  readonly name: string;
  records: number;
}

/** Creates the ledger of this isolate. */
export function createLedger(options: LedgerOptions): Ledger {
  const { kv, now, sleep, policy, log, createId = () => crypto.randomUUID() } = options;
  const holdMilliseconds = options.holdSeconds * 1000;
  const isolate = createId();
  const commits = createGroupCommit({ ...options, isolate });
  const leaveOut = createNewerReporter(log);
  const running = new Set<Promise<unknown>>();
  const { serviceLimit: limit } = options;
  const service = limit === undefined ? null : createServicePurse({
    kv,
    isolate,
    limit,
    now,
    random: options.random ?? Math.random,
    startTimer: options.startTimer ?? startRealTimer,
    onReached: (day) =>
      log.warn("The service's daily limit is reached: requests of all accounts are refused.", {
        day,
        limitUsd: formatUsd(limit),
      }),
  });
  const { ask, distrust, refusal } = createAdmissions({
    isolate,
    run: commits.run,
    release: async (hold) => await tracked(persist(hold, releaseChange(hold))) !== null,
    service,
    now,
    policy,
    holdMilliseconds,
  });
  /** The batches of each commit, by day: records share a batch, so that few values are written. */
  const usageBatches = new WeakMap<Draft, Map<string, UsageBatch>>();

  /** The name of the batch for one more usage record. A batch belongs to one day, so its marker names one value. */
  function nextUsageBatch(draft: Draft, day: string): string {
    const byDay = usageBatches.get(draft) ?? new Map<string, UsageBatch>();
    usageBatches.set(draft, byDay);
    const known = byDay.get(day);
    const batch = known !== undefined && known.records < RECORDS_PER_BATCH
      ? known
      : { name: `${now()}-${createId()}`, records: 0 };
    batch.records++;
    byDay.set(day, batch);
    return batch.name;
  }

  /** Changes a reservation if it is still open; results in null if it is not. */
  function whileOpen<T>(hold: Hold, change: (draft: Draft, open: Hold) => T): Change<T | null> {
    return () => ({
      keys: keysOf(hold),
      apply(draft) {
        const open = findReservation(draft, hold);
        return open === null ? null : change(draft, open);
      },
      needsFresh: (result) => result === null,
    });
  }

  /** Closes a reservation whose commit was reported lost, or prevents that commit if it was not made yet. */
  function releaseChange(hold: Hold): Change<true> {
    return () => ({
      keys: keysOf(hold),
      apply(draft) {
        const open = findReservation(draft, hold);
        if (open === null) touchDay(draft, hold);
        else closeReservation(draft, open);
        return true;
      },
    });
  }

  /**
   * Retries a change until it is made. Returns null once the sweep will charge the reservation, and for values
   * of a newer format, which the sweep of the newer version handles.
   */
  async function persist<T>(hold: Hold, change: Change<T>): Promise<T | null> {
    const { accountId, requestId } = hold;
    // A late call also gets the full time: the machine may have been suspended.
    const deadline = Math.max(hold.deadline, now() + holdMilliseconds);
    for (let pause = FIRST_PAUSE_MILLISECONDS;; pause *= 2) {
      try {
        return await commits.run(accountId, change, { lazy: true });
      } catch (cause) {
        const isOver = now() > deadline || cause instanceof NewerFormatError;
        const what = isOver ? "the sweep will charge the reservation" : "it will be tried again";
        log.error(`A booking failed: ${what}.`, { requestId, accountId, cause });
        if (isOver) return null;
        await sleep(Math.min(pause, LONGEST_PAUSE_MILLISECONDS));
      }
    }
  }

  /** Registers work that no request waits for, so that `flush` waits for it. */
  function tracked<T>(work: Promise<T>): Promise<T> {
    running.add(work);
    return work.finally(() => running.delete(work));
  }

  async function settle(hold: Hold, settlement: Settlement): Promise<void> {
    const record = settledRecord(hold, settlement, now());
    // The next request may be above the limit then, whatever was set aside for it.
    if (record.cost > hold.amount) distrust(record.accountId);
    const suspect = findSuspectCost(hold, settlement);
    if (suspect !== null) {
      log.warn(suspect.message, suspect.properties);
      countSuspectCost(record.endpoint, suspect.kind);
    }
    const isSettled = await persist(
      hold,
      whileOpen(hold, (draft, open) => {
        closeReservation(draft, open);
        addUsage(draft, open, record, nextUsageBatch(draft, record.day));
        if (suspect !== null) countSuspect(draft, record);
        return true;
      }),
    );
    if (isSettled) return countSettled(record.endpoint, record.cost, record.costFrom);
    // An earlier attempt settled it unnoticed, or the sweep charged it while this isolate was suspended.
    const { endpoint } = record;
    const difference = await persist(hold, () => ({
      keys: [...sumKeysOf(hold), sweptKey(hold)],
      apply(draft) {
        const difference = correctSweep(draft, hold, record);
        if (difference !== 0n && suspect !== null) countSuspect(draft, record);
        return difference;
      },
      needsFresh: () => true,
    }));
    if (difference) countSettled(endpoint, difference, "sweep");
  }

  /** Charges one abandoned reservation; false if it was not abandoned, or the booking failed. Never rejects. */
  async function sweepOne(hold: Hold): Promise<boolean> {
    const { accountId, requestId, endpoint, amount } = hold;
    const change = whileOpen(hold, (draft, open) => {
      // The request has renewed its reservation since the listing.
      if (open.deadline > now()) return false;
      closeReservation(draft, open);
      addUsage(draft, open, sweptRecord(open), requestId);
      return true;
    });
    try {
      const isSwept = await commits.run(accountId, change) === true;
      if (isSwept) countSettled(endpoint, amount, "sweep");
      return isSwept;
    } catch (cause) {
      if (cause instanceof NewerFormatError) leaveOut(cause);
      else {
        log.error("A sweep failed: the next one will try again.", { requestId, accountId, cause });
      }
      return false;
    }
  }

  async function status(accountId: string, count: number, isFresh: boolean, cap?: KeyCap) {
    const ask = isFresh ? commits.run : commits.look;
    return await ask<AccountStatus>(accountId, () => {
      const at = now();
      const days = daysUntil(dayOf(at), count);
      const capped = cap && { accountId, day: dayOf(at), capId: cap.id };
      const capKeys = capped ? [capDayKey(accountId, capped.day, capped.capId)] : [];
      return {
        keys: [rateKey(accountId), ...days.map((day) => dayKey(accountId, day)), ...capKeys],
        apply: (draft) => ({
          capDay: capped ? readCapDay(draft, capped) : null,
          days: days.map((day) => ({ day, book: readDay(draft, accountId, day) })),
          rate: rateStateAt(readRate(draft, accountId), policy, at),
        }),
        needsFresh: () => isFresh,
      };
    });
  }

  return {
    ask,
    reserve: (bid) => ask(bid).admission,
    refusal: (asking) => commits.look(asking.accountId, refusal(asking)),
    settle: (hold, settlement) => tracked(settle(hold, settlement)),
    renew(hold) {
      const renew = whileOpen(hold, (draft, open) => {
        const renewed = { ...open, deadline: now() + holdMilliseconds };
        replaceReservation(draft, renewed);
        return renewed;
      });
      return tracked(persist(hold, renew));
    },
    async sweep() {
      let count = 0;
      for await (
        const { key, value } of listEntries<Reservation[]>(kv, RESERVATIONS, { leaveOut })
      ) {
        const abandoned = value.filter(({ deadline }) => deadline <= now());
        const batch = String(key.at(-1));
        const swept = await Promise.all(
          abandoned.map((reservation) => sweepOne({ ...reservation, batch })),
        );
        count += swept.filter((isSwept) => isSwept).length;
      }
      return count;
    },
    status: (accountId, days, cap) => status(accountId, days, true, cap),
    rate: async (accountId) => (await status(accountId, 1, false)).rate,
    async flush() {
      do {
        await commits.flush();
        await Promise.all(running);
      } while (running.size > 0);
    },
    close: async () => await service?.close(),
  };
}

/** The keys that a booking of an open reservation reads. */
function keysOf(hold: Hold): Deno.KvKey[] {
  return [...sumKeysOf(hold), reservationsKey(hold.accountId, hold.batch)];
}

/** The keys of the sums that a hold counts towards. */
function sumKeysOf({ accountId, day, capId }: Hold): Deno.KvKey[] {
  const key = dayKey(accountId, day);
  return capId === undefined ? [key] : [key, capDayKey(accountId, day, capId)];
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

/** The usage record that the sweep writes, from the reservation alone. */
function sweptRecord(reservation: Reservation): UsageRecord {
  const { requestId, accountId, keyId, day, endpoint, model, amount, at } = reservation;
  const unknown = { inputTokens: null, outputTokens: null, status: null, durationMs: null };
  const request = { requestId, accountId, keyId, day, endpoint, model, at };
  return { ...request, ...unknown, cost: amount, costFrom: "sweep" };
}
