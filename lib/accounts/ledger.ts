/**
 * The ledger: the one place where money is reserved, settled and swept, and requests are counted.
 *
 *   reserve   before forwarding: counts the request and sets an upper estimate aside, durably
 *   settle    after the answer: books what it cost, and gives the reservation back
 *   sweep     later, for whoever crashed in between: books the reservation as the cost
 *
 * Each is one commit, shared with others of the account (`lib/kv/group_commit.ts`), and may be tried
 * again without harm when nobody knows whether it was made: what is done is found done.
 */

import {
  type Change,
  createGroupCommit,
  createNewerReporter,
  type Draft,
  listEntries,
  NewerFormatError,
} from "../kv/mod.ts";
import type { NanoUsd } from "../money.ts";
import { countReserved, countSettled, countSuspectCost, type Log } from "../telemetry/mod.ts";
import {
  addUsage,
  closeReservation,
  correctSweep,
  countSuspect,
  findReservation,
  openReservation,
  readDay,
  readWindow,
  replaceReservation,
  sweptKey,
  touchDay,
  wasReserved,
} from "./bookings.ts";
import {
  type DayBook,
  dayKey,
  dayOf,
  daysUntil,
  type Hold,
  rateKey,
  type Reservation,
  RESERVATIONS,
  reservationsKey,
  type UsageRecord,
} from "./books.ts";
import { countRequest, type RatePolicy, type RateState, rateStateAt } from "./rate_window.ts";
import { findSuspectCost } from "./suspect_cost.ts";

/** A request that asks to be admitted. */
export interface Bid {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly endpoint: string;
  readonly model: string | null;
  /** An upper estimate of what it will cost. */
  readonly amount: NanoUsd;
  /** The account's limit for a day. */
  readonly limit: NanoUsd;
}

/** The answer to a {@linkcode Bid}, and where the account then stands. */
export type Admission =
  | { readonly admitted: true; readonly hold: Hold; readonly rate: RateState; readonly today: Day }
  | Refusal;

/** Why a bid was refused, and where the account stands. */
export interface Refusal {
  readonly admitted: false;
  readonly reason: RefusalReason;
  readonly rate: RateState;
  readonly today: Day;
}

/** Why a bid was refused. */
type RefusalReason = "rate_limited" | "spending_limit_reached";

/** An account's day and its book. */
export interface Day {
  readonly day: string;
  readonly book: DayBook;
}

/** How a request ended. */
interface Settlement {
  /** What it cost; null if that is not known, and then the reservation is charged. */
  readonly cost: NanoUsd | null;
  /** What stood in the place of a cost, if that was no amount that can be meant. */
  readonly unusableCost?: string;
  readonly model?: string | null;
  readonly inputTokens?: number | null;
  readonly outputTokens?: number | null;
  /** The status that the caller got. */
  readonly status: number;
}

/** Where an account stands. */
interface Standing {
  /** Today first, then the days before it. */
  readonly days: readonly Day[];
  readonly rate: RateState;
}

/** See the head of this file. */
export interface Ledger {
  /**
   * @throws what the database throws; nothing is then left reserved, unless the database is away for longer
   *   than a hold lasts.
   */
  reserve(bid: Bid): Promise<Admission>;
  /**
   * The refusal that any bid of an account would get now; null if there is none. It counts and reserves
   * nothing, and reads only what memory does not have, or what must be confirmed.
   */
  refusal(account: Pick<Bid, "accountId" | "limit">): Promise<Refusal | null>;
  /** Resolves when the settlement is durable. Never rejects: it is tried until the sweep would be. */
  settle(hold: Hold, settlement: Settlement): Promise<void>;
  /** Gives a long request more time before the sweep; the hold to settle later, or null if it is gone. */
  renew(hold: Hold): Promise<Hold | null>;
  /** Charges reservations whose time is over, of all accounts; gives their number. */
  sweep(): Promise<number>;
  /** Where an account stands after everything asked before, read anew. */
  standing(accountId: string, days: number): Promise<Standing>;
  /** Where an account stood for the rate limit when last heard of: it costs one read at most. */
  rate(accountId: string): Promise<RateState>;
  /** Resolves when everything that was asked is durable. */
  flush(): Promise<void>;
}

/** What the ledger needs. */
interface LedgerOptions {
  readonly kv: Deno.Kv;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly policy: RatePolicy;
  /** How long a request may be silent before the sweep takes its reservation for left behind. */
  readonly holdSeconds: number;
  readonly log: Pick<Log, "warn" | "error">;
}

/**
 * A page is one KV value of at most 64 KiB, and a reservation takes up to 430 bytes of it. A page may
 * outgrow this number by one batch of changes (90).
 */
const RESERVATIONS_PER_PAGE = 50;
/** The embedded analytics store puts a page whole into a value of 64 KiB beside others (`blocks.ts`). */
const RECORDS_PER_PAGE = 30;
const MAX_MODEL_LENGTH = 100;
const FIRST_PAUSE_MILLISECONDS = 100;
const LONGEST_PAUSE_MILLISECONDS = 5_000;

/** A page of usage records while a commit fills it. */
interface UsagePage {
  readonly name: string;
  records: number;
}

/** Makes the ledger of this isolate. */
export function createLedger(options: LedgerOptions): Ledger {
  const { kv, now, sleep, policy, holdSeconds, log } = options;
  const commits = createGroupCommit({ kv, now });
  const leaveOut = createNewerReporter(log);
  const running = new Set<Promise<unknown>>();
  const isolate = crypto.randomUUID();
  let page = `${isolate}-1`;
  let pages = 1;
  /** The records that one commit books share pages, so that they cost a value or a few. */
  const usagePages = new WeakMap<Draft, Map<string, UsagePage>>();

  /** A page is of one day: its marker in the outbox leads to one page only. */
  function usagePage(draft: Draft, day: string): string {
    const pages = usagePages.get(draft) ?? new Map<string, UsagePage>();
    usagePages.set(draft, pages);
    const known = pages.get(day);
    const page = known !== undefined && known.records < RECORDS_PER_PAGE
      ? known
      : { name: `${now()}-${crypto.randomUUID()}`, records: 0 };
    page.records++;
    pages.set(day, page);
    return page.name;
  }

  /** The refusal that a bid gets from a draft of the books; null if it is admitted. */
  function refusalOf(
    { accountId, limit }: Pick<Bid, "accountId" | "limit">,
    draft: Draft,
    day: string,
    at: number,
  ): Refusal | null {
    const book = readDay(draft, accountId, day);
    const rate = rateStateAt(readWindow(draft, accountId), policy, at);
    const refused = { admitted: false as const, rate, today: { day, book } };
    if (rate.remaining === 0) return { ...refused, reason: "rate_limited" };
    if (book.spent + book.reserved >= limit) {
      return { ...refused, reason: "spending_limit_reached" };
    }
    return null;
  }

  function reserveChange({ limit, ...bid }: Bid): Change<Admission> & { hold: Hold | null } {
    const { accountId } = bid;
    let target = page;
    let day = dayOf(now());
    return {
      hold: null,
      keys() {
        day = dayOf(now());
        target = this.hold?.page ?? page;
        const keys = [
          rateKey(accountId),
          dayKey(accountId, day),
          reservationsKey(accountId, target),
        ];
        // Tried before: perhaps it was made, and even swept since.
        return this.hold === null ? keys : [...keys, sweptKey(this.hold)];
      },
      apply(draft) {
        // Midnight may have passed since `day`, and what was read meanwhile is of before `at`.
        const at = now();
        const window = readWindow(draft, accountId);
        if (this.hold !== null && wasReserved(draft, this.hold)) {
          const today = { day, book: readDay(draft, accountId, day) };
          const rate = rateStateAt(window, policy, at);
          return { admitted: true, hold: this.hold, rate, today };
        }
        const refusal = refusalOf({ accountId, limit }, draft, day, at);
        if (refusal !== null) return refusal;
        const reservation = { ...bid, day, at, deadline: at + holdSeconds * 1000 };
        this.hold = { reservation, page: target };
        const held = openReservation(draft, this.hold);
        if (held >= RESERVATIONS_PER_PAGE && page === target) page = `${isolate}-${++pages}`;
        const counted = countRequest(window, policy, at);
        draft.set(rateKey(accountId), counted, { expireIn: policy.windowSeconds * 1000 });
        return {
          admitted: true,
          hold: this.hold,
          rate: rateStateAt(counted, policy, at),
          today: { day, book: readDay(draft, accountId, day) },
        };
      },
      needsFresh: isByMoney,
    };
  }

  /** A change of a reservation, if it is still open: gives what `change` gives, or null. */
  function whileOpen<T>(
    hold: Hold,
    change: (draft: Draft, open: Reservation) => T,
  ): Change<T | null> {
    const { accountId, day } = hold.reservation;
    return {
      keys: () => [dayKey(accountId, day), reservationsKey(accountId, hold.page)],
      apply(draft) {
        const open = findReservation(draft, hold);
        return open === null ? null : change(draft, open);
      },
      needsFresh: (result) => result === null,
    };
  }

  /** Gives back what may have been reserved by a commit that was said to have failed, and may yet be made. */
  function releaseChange(hold: Hold): Change<void> {
    const { accountId, day } = hold.reservation;
    return {
      keys: () => [dayKey(accountId, day), reservationsKey(accountId, hold.page)],
      apply(draft) {
        const reservation = findReservation(draft, hold);
        if (reservation === null) touchDay(draft, accountId, day);
        else closeReservation(draft, { ...hold, reservation });
      },
    };
  }

  /**
   * Tries a change until it is made, or until the sweep takes care of the reservation: then null. The sweep
   * of a newer version does, of what only that knows.
   */
  async function persist<T>({ reservation }: Hold, change: Change<T>): Promise<T | null> {
    const { accountId, requestId } = reservation;
    // A call that comes late, after the machine slept perhaps, has its time too.
    const deadline = Math.max(reservation.deadline, now() + holdSeconds * 1000);
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

  /** Keeps in sight of `flush` what no request waits for. */
  function tracked<T>(work: Promise<T>): Promise<T> {
    running.add(work);
    return work.finally(() => running.delete(work));
  }

  async function settle(hold: Hold, settlement: Settlement): Promise<void> {
    const record = settledRecord(hold.reservation, settlement, now());
    const suspect = findSuspectCost(hold.reservation, settlement);
    if (suspect !== null) {
      log.warn(suspect.message, suspect.properties);
      countSuspectCost(record.endpoint, suspect.kind);
    }
    const isSettled = await persist(
      hold,
      whileOpen(hold, (draft, reservation) => {
        closeReservation(draft, { ...hold, reservation });
        addUsage(draft, record, usagePage(draft, record.day));
        if (suspect !== null) countSuspect(draft, record);
        return true;
      }),
    );
    if (isSettled) return countSettled(record.endpoint, record.cost, record.costFrom);
    // Settled by an attempt whose success was not told, or swept while this isolate stood still.
    const { accountId, day, endpoint } = record;
    const difference = await persist(hold, {
      keys: () => [dayKey(accountId, day), sweptKey(hold)],
      apply(draft) {
        const difference = correctSweep(draft, record);
        if (difference !== 0n && suspect !== null) countSuspect(draft, record);
        return difference;
      },
      needsFresh: () => true,
    });
    if (difference) countSettled(endpoint, difference, "sweep");
  }

  /** Whether it was for the sweep to charge. Its failure is no reason to leave the others. */
  async function sweepOne(hold: Hold): Promise<boolean> {
    const { accountId, requestId } = hold.reservation;
    const change = whileOpen(hold, (draft, open) => {
      // Renewed since it was listed.
      if (open.deadline > now()) return false;
      closeReservation(draft, { ...hold, reservation: open });
      addUsage(draft, sweptRecord(open), open.requestId);
      return true;
    });
    try {
      const isSwept = await commits.run(accountId, change) === true;
      const { endpoint, amount } = hold.reservation;
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

  async function standing(accountId: string, count: number, isFresh: boolean): Promise<Standing> {
    let at = now();
    const ask = isFresh ? commits.run : commits.look;
    return await ask(accountId, {
      keys() {
        at = now();
        const days = daysUntil(dayOf(at), count);
        return [rateKey(accountId), ...days.map((day) => dayKey(accountId, day))];
      },
      apply: (draft) => ({
        days: daysUntil(dayOf(at), count)
          .map((day) => ({ day, book: readDay(draft, accountId, day) })),
        rate: rateStateAt(readWindow(draft, accountId), policy, at),
      }),
      needsFresh: () => isFresh,
    });
  }

  return {
    async reserve(bid) {
      const change = reserveChange({ ...bid, model: shorten(bid.model) });
      try {
        const admission = await commits.run(bid.accountId, change);
        if (admission.admitted) countReserved(bid.endpoint, bid.amount);
        return admission;
      } catch (error) {
        const { hold } = change;
        // Nothing will be forwarded, so nothing may stay reserved.
        if (hold !== null) void tracked(persist(hold, releaseChange(hold)));
        throw error;
      }
    },
    async refusal(account) {
      const { accountId } = account;
      let day = dayOf(now());
      return await commits.look<Refusal | null>(accountId, {
        keys() {
          day = dayOf(now());
          return [rateKey(accountId), dayKey(accountId, day)];
        },
        apply: (draft) => refusalOf(account, draft, day, now()),
        needsFresh: isByMoney,
      });
    },
    settle: (hold, settlement) => tracked(settle(hold, settlement)),
    renew(hold) {
      const renew = whileOpen(hold, (draft, reservation) => {
        const renewed = { ...reservation, deadline: now() + holdSeconds * 1000 };
        replaceReservation(draft, { ...hold, reservation: renewed });
        return { ...hold, reservation: renewed };
      });
      return tracked(persist(hold, renew));
    },
    async sweep() {
      let count = 0;
      for await (
        const { key, value } of listEntries<Reservation[]>(kv, RESERVATIONS, { leaveOut })
      ) {
        const abandoned = value.filter(({ deadline }) => deadline <= now());
        const page = String(key.at(-1));
        const swept = await Promise.all(
          abandoned.map((reservation) => sweepOne({ reservation, page })),
        );
        count += swept.filter((isSwept) => isSwept).length;
      }
      return count;
    },
    standing: (accountId, days) => standing(accountId, days, true),
    rate: async (accountId) => (await standing(accountId, 1, false)).rate,
    async flush() {
      do {
        await commits.flush();
        await Promise.all(running);
      } while (running.size > 0);
    },
  };
}

/** Whether another isolate may have given back meanwhile what was missing. (A window only fills up.) */
function isByMoney(result: Admission | null): boolean {
  return result?.admitted === false && result.reason === "spending_limit_reached";
}

function settledRecord(
  reservation: Reservation,
  { cost, model, inputTokens, outputTokens, status }: Settlement,
  endedAt: number,
): UsageRecord {
  return {
    ...identity(reservation),
    model: shorten(model ?? reservation.model),
    cost: cost ?? reservation.amount,
    costFrom: cost === null ? "reservation" : "provider",
    inputTokens: inputTokens ?? null,
    outputTokens: outputTokens ?? null,
    status,
    durationMs: Math.max(0, endedAt - reservation.at),
  };
}

function sweptRecord(reservation: Reservation): UsageRecord {
  return {
    ...identity(reservation),
    model: reservation.model,
    cost: reservation.amount,
    costFrom: "sweep",
    inputTokens: null,
    outputTokens: null,
    status: null,
    durationMs: null,
  };
}

function identity({ requestId, accountId, keyId, day, endpoint, at }: Reservation) {
  return { requestId, accountId, keyId, day, endpoint, at };
}

/** The caller chooses this name, and may choose a long one. */
function shorten(model: string | null): string | null {
  return model === null ? null : model.slice(0, MAX_MODEL_LENGTH);
}
