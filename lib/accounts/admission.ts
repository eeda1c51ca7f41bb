/**
 * Admission: counts a request and reserves an upper estimate of its cost, in one commit, unless a limit is reached.
 *
 * A request may have been promised a part of what its isolate has set aside (`allowance.ts`). Then it is admitted
 * before the commit, which takes that part. If the part is gone by then (the isolate was suspended, or midnight has
 * passed), the commit decides as it does for any other request.
 */

import { LRUCache } from "lru-cache";
import type { Change, Draft } from "../kv/mod.ts";
import type { NanoUsd } from "../money.ts";
import { countReserved } from "../telemetry/mod.ts";
import {
  type Allowance,
  createPurse,
  hasRoom,
  LIFETIME_MILLISECONDS,
  NO_ROOM,
  type Purse,
  type Room,
  setAside,
  splitAllowances,
  sumOf,
  without,
} from "./allowance.ts";
import {
  type DayBook,
  dayKey,
  dayOf,
  type Hold,
  openReservation,
  rateKey,
  readDay,
  readRate,
  type Reservation,
  reservationsKey,
  sweptKey,
  wasReserved,
  writeRate,
} from "./books.ts";
import { countRequest, type RatePolicy, type RateState, rateStateAt } from "./rate_window.ts";

/** A request for admission: the reservation to make, and the account's daily limit. */
export interface Bid extends Omit<Reservation, "day" | "at" | "deadline"> {
  readonly limit: NanoUsd;
}

/** The answer to a {@linkcode Bid}, with the account's status after it. */
export type Admission =
  | { readonly admitted: true; readonly hold: Hold; readonly rate: RateState; readonly today: Day }
  | Refusal;
/** Why a bid was refused, with the account's status. */
export interface Refusal {
  readonly admitted: false;
  readonly reason: "rate_limited" | "spending_limit_reached";
  readonly rate: RateState;
  readonly today: Day;
}

/** An account's day and its book. */
export interface Day {
  readonly day: string;
  readonly book: DayBook;
}

/** A bid that was made. */
export interface Asked {
  /**
   * Whether what it needs was set aside. Then the provider may be called before `admission` resolves, but nothing may
   * reach the caller before, and a refusal ends the call.
   */
  readonly isSetAside: boolean;
  /** Resolves when the reservation is durable. Rejects with what the database throws: then none remains. */
  readonly admission: Promise<Admission>;
}

/** What {@linkcode createAdmissions} needs. */
interface AdmissionOptions {
  /** The name of this isolate, which no other has. */
  readonly isolate: string;
  readonly run: <T>(accountId: string, change: Change<T>) => Promise<T>;
  /** Closes a reservation that may have been made although its commit failed. */
  readonly release: (hold: Hold) => void;
  readonly now: () => number;
  readonly policy: RatePolicy;
  readonly holdMilliseconds: number;
}

/** An admission, and what it left set aside. */
interface Decided {
  readonly admission: Admission;
  readonly own: Allowance | null;
}

/**
 * A batch is one KV value of at most 64 KiB, and a reservation takes up to 430 bytes of it. A batch may
 * exceed this number by the changes of one commit (90).
 */
const RESERVATIONS_PER_BATCH = 50;
const MAX_MODEL_LENGTH = 100;
/** The purses of this many accounts are kept: of those that asked last. */
const MAX_PURSES = 1_000;

/** Creates the admission of this isolate. */
export function createAdmissions(options: AdmissionOptions) {
  const { isolate, run, release, now, policy, holdMilliseconds } = options;
  const purses = new LRUCache<string, Purse>({ max: MAX_PURSES });
  let batches = 1;
  /** The batch that new reservations go into. */
  let openBatch = `${isolate}-1`;

  function purseOf(accountId: string): Purse {
    const purse = purses.get(accountId) ?? createPurse();
    purses.set(accountId, purse);
    return purse;
  }

  /** What a bid finds: the rate, the day, and what is set aside for others. */
  function look(draft: Draft, accountId: string, day: string, at: number) {
    const stored = readRate(draft, accountId);
    const split = splitAllowances(stored.allowances, isolate, day, at);
    const today = { day, book: readDay(draft, accountId, day) };
    return { stored, ...split, today, rate: rateStateAt(stored, policy, at) };
  }

  /**
   * The refusal of a bid that finds so much; null if it is admitted.
   *
   * @param set what is set aside for other requests; `NO_ROOM` for a bid that was promised its part.
   */
  function refusalOf(
    limit: NanoUsd,
    { rate, today, others }: Omit<ReturnType<typeof look>, "own">,
    set: Room,
  ): Refusal | null {
    const refused = { admitted: false as const, rate, today };
    if (rate.remaining === 0) return { ...refused, reason: "rate_limited" };
    if (rate.remaining <= set.places) {
      const ends = others.map(({ until }) => until);
      const resetsAt = Math.min(rate.resetsAt ?? Infinity, ...ends);
      const full = { ...rate, remaining: 0, resetsAt: Number.isFinite(resetsAt) ? resetsAt : null };
      return { ...refused, rate: full, reason: "rate_limited" };
    }
    const { day, book } = today;
    const reserved = book.reserved + set.amount;
    if (book.spent + reserved < limit) return null;
    const counted = { day, book: { ...book, reserved } };
    return { ...refused, today: counted, reason: "spending_limit_reached" };
  }

  function ask({ limit, ...asked }: Bid): Asked {
    const { accountId, amount } = asked;
    const purse = purseOf(accountId);
    const at = now();
    const part = purse.ask(amount, limit, dayOf(at), at);
    const bid = { ...asked, limit, model: shorten(asked.model) };
    return { isSetAside: part !== null, admission: admit(bid, purse, part) };
  }

  async function admit(
    { limit, ...bid }: Bid,
    purse: Purse,
    part: Room | null,
  ): Promise<Admission> {
    const { accountId, amount } = bid;
    /** The reservation of an earlier attempt, whose commit may have been made although it seemed lost. */
    let attempted = null as Hold | null;
    let day = "";
    /** Whether the window refuses the request: then no other isolate can make room for it. */
    let isFull = false;

    const change: Change<Decided> = () => {
      const earlier = attempted;
      day = dayOf(now());
      const batch = earlier?.batch ?? openBatch;
      const keys = [rateKey(accountId), dayKey(accountId, day), reservationsKey(accountId, batch)];
      if (earlier !== null) keys.push(sweptKey(earlier));
      return {
        keys,
        apply(draft) {
          // The read took time, and midnight may have passed since `day` was determined.
          const at = now();
          const found = look(draft, accountId, day, at);
          const { stored, own, others, rate, today } = found;
          const isMade = earlier !== null && wasReserved(draft, earlier);
          const isTaken = !isMade && part !== null && own !== null && hasRoom(own, part);
          const kept = purse.kept(draft, isTaken ? without(own, part) : own, part ?? NO_ROOM);
          if (isMade) return { admission: { admitted: true, hold: earlier, rate, today }, own };
          const set = sumOf([setAside(others, day), kept]);
          // Even then it is refused if more was charged than reserved, or the limit was lowered.
          const refusal = refusalOf(limit, found, isTaken ? NO_ROOM : set);
          isFull = rate.remaining === 0;
          if (refusal !== null) return { admission: refusal, own: null };
          const hold = { ...bid, day, at, deadline: at + holdMilliseconds, batch };
          attempted = hold;
          const open = openReservation(draft, hold);
          if (open >= RESERVATIONS_PER_BATCH && openBatch === batch) {
            openBatch = `${isolate}-${++batches}`;
          }
          const counted = countRequest(stored, policy, at);
          const after = rateStateAt(counted, policy, at);
          const book = readDay(draft, accountId, day);
          const left = { amount: limit - book.spent - book.reserved, places: after.remaining };
          const room = sumOf([kept, purse.more(amount, left, set)]);
          const aside = { ...room, isolate, day, until: at + LIFETIME_MILLISECONDS };
          const allowances = aside.places > 0 ? [...others, aside] : others;
          writeRate(draft, accountId, { ...counted, allowances }, policy);
          const admission = { admitted: true, hold, rate: after, today: { day, book } } as const;
          return { admission, own: aside };
        },
        needsFresh: ({ admission }) => !admission.admitted && !isFull,
      };
    };

    try {
      const { admission, own } = await run(accountId, change);
      purse.close(part ?? NO_ROOM, own, limit);
      if (admission.admitted) countReserved(bid.endpoint, amount);
      return admission;
    } catch (error) {
      purse.close(part ?? NO_ROOM, null, limit);
      // While the database fails, no account's request is sent before its commit.
      purses.clear();
      // The caller gets no response, so nothing may stay reserved.
      if (attempted !== null) release(attempted);
      throw error;
    }
  }

  return {
    ask,
    /** Sends no request of an account before its commit, until one was admitted again. */
    distrust: (accountId: string): void => purses.get(accountId)?.distrust(),
    /** The change behind `Ledger.refusal`. */
    refusal({ accountId, limit }: Pick<Bid, "accountId" | "limit">): Change<Refusal | null> {
      return () => {
        const day = dayOf(now());
        let isFull = false;
        return {
          keys: [rateKey(accountId), dayKey(accountId, day)],
          apply(draft) {
            const found = look(draft, accountId, day, now());
            isFull = found.rate.remaining === 0;
            const kept = purses.get(accountId)?.kept(draft, found.own, NO_ROOM) ?? NO_ROOM;
            return refusalOf(limit, found, sumOf([setAside(found.others, day), kept]));
          },
          needsFresh: (refusal) => refusal !== null && !isFull,
        };
      };
    },
  };
}

/** Shortens a model's name, which the caller chooses. */
export function shorten(model: string | null): string | null {
  return model === null ? null : model.slice(0, MAX_MODEL_LENGTH);
}
