/**
 * The ledger: the one place where money is reserved, settled and swept, and requests are counted. `transitions.ts` has
 * the transitions; here they are queued for each account (`queue.ts`), and repeated until they are durable. If the
 * result of a commit is unknown, the repetition finds what was done, and does the rest once.
 */

import { listEntries } from "../../platform/kv/list.ts";
import { NewerVersionError } from "../../platform/kv/write.ts";
import { formatUsd, type NanoUsd } from "../../platform/money.ts";
import { countReserved, countSettled, countSuspectCost } from "../../platform/metrics.ts";
import type { Log } from "../../platform/log.ts";
import type { Platform } from "../../platform/platform.ts";
import type { StartTimer } from "../../platform/timeout.ts";
import type { KeyCap } from "../../accounts/key.ts";
import {
  type Admission,
  type Day,
  EMPTY_DAY,
  type Found,
  inspect,
  isInTheWay,
  isUncertain,
  type OverDailyLimit,
  type Refusal,
  refusalOf,
  renew,
  reserve,
  settle,
  sweep,
  sweptRecord,
  takeBack,
} from "./transitions.ts";
import { dayOf, daysUntil } from "../../platform/utc_days.ts";
import { createQueue, type Transition } from "./internal/queue.ts";
import type { RatePolicy, RateState } from "./rate_window.ts";
import { readDays } from "./read.ts";
import { createServiceFigure } from "./service_sums.ts";
import type { Reservation, UsageRecord } from "./values.ts";

/** A request for a reservation, and the daily limits of its account and of its key. */
export interface Asked
  extends Pick<Reservation, "requestId" | "accountId" | "keyId" | "endpoint" | "model" | "amount"> {
  readonly limit: NanoUsd;
  /** Absent if only the account's limit applies. */
  readonly cap?: KeyCap | undefined;
}

/** How a request ended. */
interface Settlement {
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

/** An account's spending, and the requests that the rate limit still allows. */
interface AccountStatus extends Omit<Found, "today"> {
  /** Today first, then the days before it. */
  readonly days: readonly Day[];
}

/** Reserves, settles and sweeps, as the head of this file describes. */
export type Ledger = ReturnType<typeof createLedger>;

/** The dependencies of the ledger. */
interface LedgerOptions extends Pick<Platform, "kv" | "now" | "sleep"> {
  readonly policy: RatePolicy;
  /** How long a request may be silent before the sweep charges its reservation. */
  readonly reservationSeconds: number;
  /** The limit of all accounts together in a UTC day; absent for none. */
  readonly serviceLimit?: NanoUsd | undefined;
  /** Whether usage records are marked for ClickHouse. */
  readonly hasOutbox?: boolean;
  readonly log: Pick<Log, "warn" | "error">;
  /** Starts the timers; those of the platform by default. */
  readonly startTimer?: StartTimer;
}

/** A reservation lasts no longer than this, however often it is renewed: a response that takes longer is cut off. */
export const LONGEST_RESERVATION_SECONDS = 3_600;
const FIRST_PAUSE_MILLISECONDS = 100;
const LONGEST_PAUSE_MILLISECONDS = 5_000;
const MAX_MODEL_LENGTH = 100;
/** Reservations that the sweep charges at a time. */
const SWEPT_AT_ONCE = 100;
/**
 * A cost above this many times its reservation is suspect. It is booked nevertheless, because the provider charges it.
 */
const SUSPECT_TIMES = 10n;

/** Creates the ledger of this process. */
export function createLedger(options: LedgerOptions) {
  const { kv, now, sleep, policy, serviceLimit, hasOutbox = false, log } = options;
  const lifetime = options.reservationSeconds * 1000;
  const queue = createQueue(options);
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
  const booking = { hasOutbox, hasServiceLimit: service !== null };
  /** Work that no request waits for. */
  const running: Promise<unknown>[] = [];
  /** The reservations of this process whose requests are in progress. */
  const inProgress: Reservation[] = [];

  /** Does work that `flush` waits for. */
  async function track<T>(work: Promise<T>): Promise<T> {
    running.push(work);
    try {
      return await work;
    } finally {
      remove(running, work);
    }
  }

  /**
   * Repeats a transition until it is made. Returns null once the sweep will charge the reservation, and for a value of
   * a newer version, whose sweep does.
   */
  async function persist<R>(
    { accountId, requestId, deadline }: Reservation,
    transition: Transition<R>,
  ): Promise<R | null> {
    // A late call also gets the full time: the machine may have been suspended.
    const endsAt = Math.max(deadline, now() + lifetime);
    for (let pause = FIRST_PAUSE_MILLISECONDS;; pause *= 2) {
      try {
        return await queue.run(transition, { lazy: true });
      } catch (cause) {
        const isOver = now() > endsAt || cause instanceof NewerVersionError;
        const what = isOver ? "the sweep will charge the reservation" : "it will be tried again";
        log.error(`A booking failed: ${what}.`, { requestId, accountId, cause });
        if (isOver) return null;
        await sleep(Math.min(pause, LONGEST_PAUSE_MILLISECONDS));
      }
    }
  }

  /** Warns of a cost that an operator should check; returns whether it is one. */
  function checkCost(
    { requestId, accountId, endpoint, amount }: Reservation,
    { cost, unusableCost }: Settlement,
  ): boolean {
    const isExcessive = cost !== null && cost > SUSPECT_TIMES * amount;
    if (!isExcessive && unusableCost === undefined) return false;
    const request = { requestId, accountId, endpoint, reservedUsd: formatUsd(amount) };
    if (isExcessive) {
      const what = `A request cost more than ${SUSPECT_TIMES} times what was reserved`;
      log.warn(`${what}; it is booked.`, { ...request, costUsd: formatUsd(cost) });
      countSuspectCost(endpoint, "excessive");
      return true;
    }
    const charged = cost === null ? "the reservation" : `${formatUsd(cost)} USD`;
    const message = `A provider stated an unusable cost; ${charged} is charged.`;
    log.warn(message, { ...request, stated: unusableCost });
    countSuspectCost(endpoint, "unusable");
    return true;
  }

  /** Charges a reservation; false if it was not abandoned, or the booking failed. Never rejects. */
  async function sweepOne(reservation: Reservation): Promise<boolean> {
    const { accountId, requestId, endpoint } = reservation;
    try {
      const booked = await queue.run(sweep(reservation, now, booking));
      if (booked !== null) countSettled(endpoint, booked.spent, booked.costFrom);
      return booked !== null;
    } catch (cause) {
      log.error("A sweep failed: the next one will try again.", { requestId, accountId, cause });
      return false;
    }
  }

  /** Charges those that are abandoned, some at a time; returns their number. */
  async function sweepAll(
    reservations: AsyncIterable<Reservation> | Iterable<Reservation>,
  ): Promise<number> {
    let count = 0;
    let batch: Promise<boolean>[] = [];
    const end = async () => {
      count += (await Promise.all(batch)).filter((isSwept) => isSwept).length;
      batch = [];
    };
    for await (const reservation of reservations) {
      if (reservation.deadline > now()) continue;
      if (batch.push(sweepOne(reservation)) === SWEPT_AT_ONCE) await end();
    }
    await end();
    return count;
  }

  /**
   * Asks again for a reservation that does not fit beside others, once those that are past their deadline are charged.
   * A request of this process that is in the way ends soon, so nothing is read then.
   */
  async function reserveAgain(
    refusal: OverDailyLimit,
    reservation: Reservation,
    ask: () => Promise<Admission>,
  ): Promise<Admission> {
    const isOther = (each: Reservation) => isInTheWay(each, reservation, refusal.scope);
    if (inProgress.some(isOther)) return refusal;
    const others: Reservation[] = [];
    for await (
      const { value } of listEntries<Reservation>(kv, ["reservation", reservation.accountId])
    ) {
      if (isOther(value)) others.push(value);
    }
    const open = others.filter(({ deadline }) => deadline > now());
    if (open.length > 0 && open.length === others.length) return untilDeadline(refusal, open);
    await sweepAll(others);
    const admission = await ask();
    const isStill = !admission.admitted && admission.reason === "open" && open.length > 0;
    return isStill ? untilDeadline(admission, open) : admission;
  }

  /** Views an account's state today. */
  function view<R>(
    accountId: string,
    cap: KeyCap | undefined,
    judge: (found: Found) => R,
    mustReread: (result: R) => boolean,
  ): Promise<R> {
    const booking = { accountId, day: dayOf(now()), ...cap && { capId: cap.id } };
    return queue.peek(inspect(booking, { policy, now }, judge, mustReread));
  }

  return {
    /**
     * Resolves when a reservation is durable.
     *
     * @throws the database's error. No reservation remains then, unless the process dies, or the database is
     *   unavailable for longer than a reservation lasts.
     * @throws {NewerVersionError} if a newer version of the program wrote the account's ledger value.
     */
    async reserve(asked: Asked): Promise<Admission> {
      const { requestId, accountId, keyId, endpoint, amount, limit, cap } = asked;
      const at = now();
      const day = dayOf(at);
      const model = shorten(asked.model);
      const deadline = at + lifetime;
      const own = { requestId, accountId, keyId, day, endpoint, model, amount, at, deadline };
      const reservation: Reservation = cap ? { ...own, capId: cap.id } : own;
      const part = service === null ? undefined : await service.take(amount, day);
      const limits = { limit, cap, policy, now, serviceLeft: part?.left };
      try {
        const ask = () => queue.run(reserve(reservation, limits));
        const first = await ask();
        const admission = !first.admitted && first.reason === "open"
          ? await reserveAgain(first, reservation, ask)
          : first;
        part?.end(admission.admitted);
        if (admission.admitted) {
          inProgress.push(reservation);
          countReserved(endpoint, amount);
        }
        return admission;
      } catch (error) {
        // The caller gets no response, so nothing may stay reserved. Until the next read, the amount counts.
        part?.end(true);
        if (!(error instanceof NewerVersionError)) {
          void track(persist(reservation, takeBack(reservation, booking)));
        }
        throw error;
      }
    },
    /**
     * The refusal that every request of a key would get now; null if there is none. Counts and reserves nothing, and
     * leaves out the limit of all accounts.
     */
    refusal(
      { accountId, limit, cap }: Pick<Asked, "accountId" | "limit" | "cap">,
    ): Promise<Refusal | null> {
      const limits = { limit, cap, policy, now };
      const judge = (found: Found) => refusalOf(found, limits, null);
      return view(accountId, cap, judge, (refusal) => refusal !== null && isUncertain(refusal));
    },
    /** Resolves when the settlement is durable. Never rejects: it is tried again until the sweep takes over. */
    async settle(reservation: Reservation, settlement: Settlement): Promise<void> {
      const record = settledRecord(reservation, settlement, now());
      const isSuspect = checkCost(reservation, settlement);
      const transition = settle(reservation, record, { ...booking, isSuspect });
      const booked = await track(persist(reservation, transition));
      remove(inProgress, reservation);
      if (booked !== null) countSettled(record.endpoint, booked.spent, booked.costFrom);
    },
    /** Postpones the sweep of a long request. Never rejects. */
    async renew(reservation: Reservation): Promise<void> {
      const latest = reservation.at + 1_000 * LONGEST_RESERVATION_SECONDS;
      const deadline = Math.min(now() + lifetime, Math.max(latest, reservation.deadline));
      await track(persist(reservation, renew(reservation, deadline)));
    },
    /** Charges the reservations of all accounts that are past their deadline; returns their number. */
    async sweep(): Promise<number> {
      const entries = listEntries<Reservation>(kv, ["reservation"]);
      return await sweepAll(
        async function* () {
          for await (const { value } of entries) yield value;
        }(),
      );
    },
    /** An account's status after all earlier transitions of this process, read from the database. */
    async status(accountId: string, count: number, cap?: KeyCap): Promise<AccountStatus> {
      const { rate, today, capDay } = await view(accountId, cap, (found) => found, () => true);
      const days = daysUntil(today.day, count).slice(1);
      const found = await readDays(kv, accountId, days);
      const before = days.map((day, at) => ({ day, sums: found[at] ?? EMPTY_DAY }));
      return { rate, capDay, days: [today, ...before] };
    },
    /** An account's rate limit as last known to this process: costs one read at most. */
    rate: (accountId: string): Promise<RateState> =>
      view(accountId, undefined, ({ rate }) => rate, () => false),
    /**
     * Resolves when all transitions that were requested before the call are durable, or have been given up: once a
     * reservation has lasted for its time.
     */
    async flush(): Promise<void> {
      await Promise.all([queue.flush(), ...running]);
    },
  };
}

/** Removes an item, if it is there. Lists are used instead of Sets for the reason in `createLimits` (`timeout.ts`). */
function remove<T>(items: T[], item: T): void {
  const at = items.indexOf(item);
  if (at >= 0) items.splice(at, 1);
}

/** A refusal that says by when none of some reservations is open any more. */
function untilDeadline(refusal: OverDailyLimit, open: readonly Reservation[]): OverDailyLimit {
  return { ...refusal, until: Math.max(...open.map(({ deadline }) => deadline)) };
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
