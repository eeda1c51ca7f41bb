/**
 * Admission: counts a request and reserves an upper estimate of its cost, in one commit, unless a limit is reached.
 *
 * A request may have been promised a part of what its isolate has set aside (`allowance.ts`). Then it is admitted
 * before the commit, which takes that part. If the part is gone by then (the isolate was suspended, or midnight has
 * passed), the commit decides as it does for any other request.
 */

import { LRUCache } from "lru-cache";
import type { Change, Draft } from "../../platform/kv/group_commit.ts";
import type { NanoUsd } from "../../platform/money.ts";
import { countReserved } from "../../platform/metrics.ts";
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
  type CapDay,
  capDayKey,
  type DayBook,
  dayKey,
  dayOf,
  type Hold,
  type KeyCap,
  openReservation,
  rateKey,
  readCapDay,
  readDay,
  readRate,
  type Reservation,
  reservationsKey,
  sweptKey,
  wasReserved,
  writeRate,
} from "./books.ts";
import type { ServicePurse, ServiceShare } from "./service_allowance.ts";
import { countRequest, type RatePolicy, type RateState, rateStateAt } from "./rate_window.ts";

/** A request for admission: the reservation to make, and the daily limits of its account and of its key. */
export interface Bid extends Omit<Reservation, "day" | "at" | "deadline" | "capId"> {
  readonly limit: NanoUsd;
  /** Absent if only the account's limit applies. */
  readonly cap?: KeyCap;
}

/** The limits that apply to a bid. */
export type Asking = Pick<Bid, "accountId" | "limit" | "cap">;

/** The answer to a {@linkcode Bid}, with the account's status after it. */
export type Admission =
  | (Found & { readonly admitted: true; readonly hold: Hold })
  | Refusal;

/** Why a bid was refused: the rate limit, or the daily limit of the account, of the key or of the service. */
export interface Refusal extends Found {
  readonly admitted: false;
  readonly reason: "rate" | "account" | "key" | "service";
}

/** The status of an account, and of the bid's key. */
interface Found {
  readonly rate: RateState;
  readonly today: Day;
  /** Null if the key has no cap. */
  readonly capDay: CapDay | null;
}

/** An account's day and its book. */
export interface Day {
  readonly day: string;
  readonly book: DayBook;
}

/** A bid that was made. */
export interface Asked {
  /**
   * Whether the bid was promised a part of an allowance. Then the provider may be called before `admission` resolves,
   * but nothing may reach the caller before, and a refusal ends the call.
   */
  readonly isSetAside: boolean;
  /** Resolves when the reservation is durable. Rejects with the database's error; no reservation remains then. */
  readonly admission: Promise<Admission>;
}

/** The dependencies of {@linkcode createAdmissions}. */
interface AdmissionOptions {
  /** The name of this isolate, which no other has. */
  readonly isolate: string;
  readonly run: <T>(accountId: string, change: Change<T>) => Promise<T>;
  /** Closes a reservation that may have been made although its commit failed; resolves to whether that is durable. */
  readonly release: (hold: Hold) => Promise<boolean>;
  /** This isolate's allowance of the service's daily limit; null without a limit. */
  readonly service: ServicePurse | null;
  readonly now: () => number;
  readonly policy: RatePolicy;
  readonly holdMilliseconds: number;
}

/** One attempt to decide a bid. */
interface Attempt {
  readonly asked: Bid;
  readonly purse: Purse;
  /** The part of the allowance that was promised to the bid. */
  readonly part: Room | null;
  /** Its share of the service's limit. */
  readonly share: ServiceShare | null;
  readonly day: string;
  /** Where its reservation is stored. */
  readonly batch: string;
  /** The reservation of an earlier attempt, which may have been made. */
  readonly earlier: Hold | null;
}

/** The result of an attempt. */
interface Decided {
  /** Null if the service allowance does not cover the bid. */
  readonly admission: Admission | null;
  /** The allowance after the attempt. */
  readonly own: Allowance | null;
  readonly day: string;
  /** Whether the rate limit is reached, which no other isolate can change. */
  readonly isFull: boolean;
}

/**
 * A batch is one KV value of at most 64 KiB, and a reservation takes up to 430 bytes of it. A batch may
 * exceed this number by the changes of one commit (90).
 */
const RESERVATIONS_PER_BATCH = 50;
const MAX_MODEL_LENGTH = 100;
/** The number of accounts whose purses are kept: those with the latest bids. */
const MAX_PURSES = 1_000;
/** A request fails after this many service allowances that were taken away, or belong to the previous day. */
const MAX_LOST_SHARES = 5;

/** Creates the admission of this isolate. */
export function createAdmissions(options: AdmissionOptions) {
  const { isolate, run, release, service, now, policy, holdMilliseconds } = options;
  const purses = new LRUCache<string, Purse>({ max: MAX_PURSES });
  let batches = 1;
  /** The batch for new reservations. */
  let openBatch = `${isolate}-1`;

  function purseOf(accountId: string): Purse {
    const purse = purses.get(accountId) ?? createPurse();
    purses.set(accountId, purse);
    return purse;
  }

  /** The state for a bid: the rate, the day, and the allowances of others. */
  function look(draft: Draft, { accountId, cap }: Asking, day: string, at: number) {
    const stored = readRate(draft, accountId);
    const split = splitAllowances(stored.allowances, isolate, day, at);
    const today = { day, book: readDay(draft, accountId, day) };
    const capDay = cap === undefined ? null : readCapDay(draft, { accountId, day, capId: cap.id });
    return { stored, ...split, today, capDay, rate: rateStateAt(stored, policy, at) };
  }

  /**
   * The refusal of a bid in this state; null if it is admitted.
   *
   * @param set the part set aside for other requests; `NO_ROOM` for a bid that was promised its own part.
   */
  function refusalOf(
    { limit, cap }: Asking,
    { rate, today, capDay, others }: ReturnType<typeof look>,
    set: Room,
  ): Refusal | null {
    const refused = { admitted: false as const, rate, today, capDay };
    if (rate.remaining === 0) return { ...refused, reason: "rate" };
    if (rate.remaining <= set.places) {
      const ends = others.map(({ until }) => until);
      const resetsAt = Math.min(rate.resetsAt ?? Infinity, ...ends);
      const full = { ...rate, remaining: 0, resetsAt: Number.isFinite(resetsAt) ? resetsAt : null };
      return { ...refused, rate: full, reason: "rate" };
    }
    const { day, book } = today;
    const reserved = book.reserved + set.amount;
    if (book.spent + reserved >= limit) {
      const counted = { day, book: { ...book, reserved } };
      return { ...refused, today: counted, reason: "account" };
    }
    const isCapped = cap !== undefined && capDay !== null;
    const isCapReached = isCapped && capDay.spent + capDay.reserved >= cap.limitNanoUsd;
    return isCapReached ? { ...refused, reason: "key" } : null;
  }

  function ask(asked: Bid): Asked {
    const { accountId, amount, limit, cap, model } = asked;
    const purse = purseOf(accountId);
    const at = now();
    const share = service?.take(amount) ?? null;
    // An allowance belongs to the account: the cap of the key, or the service's limit, may nevertheless be reached.
    const isPromisable = cap === undefined && (service === null || share !== null);
    const part = isPromisable ? purse.ask(amount, limit, dayOf(at), at) : null;
    const bid = { ...asked, model: shorten(model) };
    const close = isPromisable
      ? (own: Allowance | null) => purse.close(part ?? NO_ROOM, own, limit)
      : (own: Allowance | null) => purse.know(own, limit);
    return { isSetAside: part !== null, admission: admit(bid, purse, part, share, close) };
  }

  async function admit(
    asked: Bid,
    purse: Purse,
    part: Room | null,
    taken: ServiceShare | null,
    close: (own: Allowance | null) => void,
  ): Promise<Admission> {
    const { accountId, amount } = asked;
    let share = taken;
    /** The reservation of an earlier attempt, whose commit may have been made although it seemed lost. */
    let attempted = null as Hold | null;

    const change: Change<Decided> = () => {
      const day = dayOf(now());
      const earlier = attempted;
      const batch = earlier?.batch ?? openBatch;
      const keys = [...limitKeys(asked, day), reservationsKey(accountId, batch)];
      if (earlier !== null) keys.push(sweptKey(earlier));
      if (service !== null) keys.push(service.key(day));
      return {
        keys,
        apply(draft) {
          const decided = decide(draft, { asked, purse, part, share, day, batch, earlier });
          if (decided.admission?.admitted) attempted = decided.admission.hold;
          return decided;
        },
        needsFresh: ({ admission, isFull }) => {
          if (admission === null) return true;
          return !admission.admitted && admission.reason !== "service" && !isFull;
        },
      };
    };

    /** Makes the change, with a new share if the first one does not cover it. */
    async function make(): Promise<{ admission: Admission; own: Allowance | null }> {
      for (let lost = 0; lost <= MAX_LOST_SHARES; lost++) {
        if (service !== null && share === null) share = await service.draw(amount);
        const { admission, own, day } = await run(accountId, change);
        if (admission !== null) return { admission, own };
        if (share !== null) service?.giveBack(share);
        if (share?.day === day) service?.distrust();
        share = null;
      }
      throw new Error("the isolate's service allowance was taken away again and again");
    }

    try {
      const { admission, own } = await make();
      close(own);
      if (share !== null) service?.[admission.admitted ? "keep" : "giveBack"](share);
      if (admission.admitted) countReserved(asked.endpoint, amount);
      return admission;
    } catch (error) {
      close(null);
      void returnShare(attempted, share);
      // While the database fails, no account's request is sent before its commit.
      purses.clear();
      throw error;
    }
  }

  /** Decides a bid in a draft: reserves for it, or returns the reason of the refusal. */
  function decide(draft: Draft, attempt: Attempt): Decided {
    const { asked, purse, part, share, day, earlier } = attempt;
    // The read took time, and midnight may have passed since `day` was determined.
    const at = now();
    const found = look(draft, asked, day, at);
    const { own, others, rate, today, capDay } = found;
    const state = { rate, today, capDay };
    // Then no other isolate can make room for it.
    const isFull = rate.remaining === 0;
    const isMade = earlier !== null && wasReserved(draft, earlier);
    const isTaken = !isMade && part !== null && own !== null && hasRoom(own, part);
    const kept = purse.kept(draft, isTaken ? without(own, part) : own, part ?? NO_ROOM);
    if (isMade) {
      return { admission: { admitted: true, hold: earlier, ...state }, own, day, isFull };
    }
    const set = sumOf([setAside(others, day), kept]);
    // It is still refused if more was charged than reserved, or if the limit was lowered.
    const refusal = refusalOf(asked, found, isTaken ? NO_ROOM : set);
    if (refusal !== null) return { admission: refusal, own: null, day, isFull };
    if (service !== null) {
      if (share === null) {
        const refused = { admitted: false, reason: "service", ...state } as const;
        return { admission: refused, own: null, day, isFull };
      }
      const isCovered = share.day === day && draft.get(service.key(day)) !== null;
      if (!isCovered) return { admission: null, own: null, day, isFull };
    }
    return { ...reserve(draft, attempt, found, { kept, set }, at), day, isFull };
  }

  /** Reserves for a bid, counts its request, and sets an allowance aside for the account's next requests. */
  function reserve(
    draft: Draft,
    { asked, purse, day, batch }: Attempt,
    { stored, others }: ReturnType<typeof look>,
    { kept, set }: { readonly kept: Room; readonly set: Room },
    at: number,
  ): Pick<Decided, "admission" | "own"> {
    const { limit, cap, ...bid } = asked;
    const reservation = { ...bid, ...cap && { capId: cap.id }, day, at };
    const hold = { ...reservation, deadline: at + holdMilliseconds, batch };
    const open = openReservation(draft, hold);
    if (open >= RESERVATIONS_PER_BATCH && openBatch === batch) {
      openBatch = `${isolate}-${++batches}`;
    }
    const counted = countRequest(stored, policy, at);
    const { today, capDay } = look(draft, asked, day, at);
    const rate = rateStateAt(counted, policy, at);
    const { spent, reserved } = today.book;
    const rest = { amount: limit - spent - reserved, places: rate.remaining };
    const room = sumOf([kept, purse.more(asked.amount, rest, set)]);
    const own = { ...room, isolate, day, until: at + LIFETIME_MILLISECONDS };
    const allowances = own.places > 0 ? [...others, own] : others;
    writeRate(draft, asked.accountId, { ...counted, allowances }, policy);
    return { admission: { admitted: true, hold, rate, today, capDay }, own };
  }

  /** The caller gets no response, so nothing may stay reserved. */
  async function returnShare(attempted: Hold | null, share: ServiceShare | null): Promise<void> {
    const isReturned = attempted === null || await release(attempted);
    if (isReturned && share !== null) service?.giveBack(share);
  }

  return {
    ask,
    /** Lets each request of an account wait for its commit, until one has been admitted. */
    distrust: (accountId: string): void => purses.get(accountId)?.distrust(),
    /** The change behind `Ledger.refusal`. */
    refusal(asking: Asking): Change<Refusal | null> {
      return () => {
        const day = dayOf(now());
        let isFull = false;
        return {
          keys: limitKeys(asking, day),
          apply(draft) {
            const found = look(draft, asking, day, now());
            isFull = found.rate.remaining === 0;
            const kept = purses.get(asking.accountId)?.kept(draft, found.own, NO_ROOM) ?? NO_ROOM;
            return refusalOf(asking, found, sumOf([setAside(found.others, day), kept]));
          },
          needsFresh: (refusal) => refusal !== null && !isFull,
        };
      };
    },
  };
}

/** The keys of the values that limit a bid. */
function limitKeys({ accountId, cap }: Asking, day: string): Deno.KvKey[] {
  const keys = [rateKey(accountId), dayKey(accountId, day)];
  return cap === undefined ? keys : [...keys, capDayKey(accountId, day, cap.id)];
}

/** Shortens a model's name, which the caller chooses. */
export function shorten(model: string | null): string | null {
  return model === null ? null : model.slice(0, MAX_MODEL_LENGTH);
}
