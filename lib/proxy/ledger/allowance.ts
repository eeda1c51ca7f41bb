/**
 * Allowances: money and places that an isolate has set aside for an account's next requests, so that it may call the
 * provider while their reservation is still being committed.
 *
 * An allowance is stored with the account's rate window and counts towards both limits like a reservation. The commit
 * of a request takes the request's part out of it and sets more aside. A part that is not used is given back: after
 * {@linkcode LIFETIME_MILLISECONDS} the allowance counts for nothing, and the account's next commit removes it.
 */

import type { NanoUsd } from "../../platform/money.ts";

/** A part of both limits. */
export interface Room {
  readonly amount: NanoUsd;
  /** Requests that the rate limit admits. */
  readonly places: number;
}

/** The room that one isolate has set aside for an account. */
export interface Allowance extends Room {
  readonly isolate: string;
  /** The UTC day of the money; on another day the allowance counts for nothing. */
  readonly day: string;
  /** Epoch milliseconds after which it counts for nothing. */
  readonly until: number;
}

/** Long enough for callers who ask every few seconds. Within it, few accounts use up their limit. */
export const LIFETIME_MILLISECONDS = 60_000;
/** The isolate stops using its allowance this long before the others ignore it, because clocks differ. */
const MARGIN_MILLISECONDS = 5_000;
/**
 * All allowances of an account together take no more than this part of what either limit has left. So an isolate
 * refuses nothing before nine tenths of a limit are used, and an account near a limit sets nothing aside.
 */
const SHARE = 10n;
/** The requests that an allowance is for, at most. */
const MOST_PLACES = 64;
/** An isolate expects as many simultaneous requests as it had within this time. */
const PEAK_MILLISECONDS = 10_000;

export const NO_ROOM: Room = { amount: 0n, places: 0 };

/** The sum of some rooms. */
export function sumOf(rooms: readonly Room[]): Room {
  return rooms.reduce(
    (sum, { amount, places }) => ({ amount: sum.amount + amount, places: sum.places + places }),
    NO_ROOM,
  );
}

/** A room less a part of it. */
export function without({ amount, places }: Room, less: Room): Room {
  return { amount: amount - less.amount, places: places - less.places };
}

/** Whether a room has room for a part. */
export function hasRoom(room: Room, { amount, places }: Room): boolean {
  return room.amount >= amount && room.places >= places;
}

/** The allowances that count at a moment: this isolate's for a day, and those of the other isolates. */
export function splitAllowances(
  all: readonly Allowance[] = [],
  isolate: string,
  day: string,
  now: number,
): { readonly own: Allowance | null; readonly others: readonly Allowance[] } {
  const live = all.filter(({ until }) =>
    // An allowance of a clock that is far ahead would count for too long.
    until > now && until <= now + 2 * LIFETIME_MILLISECONDS
  );
  const own = live.find((each) => each.isolate === isolate && each.day === day) ?? null;
  return { own, others: live.filter((each) => each.isolate !== isolate) };
}

/** The part of the limits that allowances take on a day: money of that day, and places of any day. */
export function setAside(allowances: readonly Allowance[], day: string): Room {
  return sumOf(allowances.map((each) => each.day === day ? each : { ...each, amount: 0n }));
}

/** An isolate's view of its allowance for one account. */
export interface Purse {
  /**
   * Counts a request, and promises it a part of the allowance if that will last until its commit.
   *
   * @returns the part, or null: then the request must wait for its commit.
   */
  ask(amount: NanoUsd, limit: NanoUsd, day: string, now: number): Room | null;
  /**
   * The part of the stored allowance that must stay set aside for the requests that a draft has not reached yet. The
   * draft now reaches one more request, with the part that was promised to it.
   */
  kept(draft: object, stored: Room | null, part: Room): Room;
  /** How much of the rest of both limits to set aside for further requests like one of `amount`. */
  more(amount: NanoUsd, left: Room, set: Room): Room;
  /** Notes that a request is decided, and the allowance that it left; null if it was refused, or that is not known. */
  close(part: Room, own: Allowance | null, limit: NanoUsd): void;
  /** Notes the same as `close`, for a request that did not ask. */
  know(own: Allowance | null, limit: NanoUsd): void;
  /** Promises nothing until a request has been admitted again. */
  distrust(): void;
}

/** Creates the purse of an account. */
export function createPurse(): Purse {
  let known = null as Allowance & { limit: NanoUsd } | null;
  /** The parts of the allowance that were promised to requests in progress, and those that a draft has reached. */
  let promised = NO_ROOM;
  let done = { draft: null as object | null, room: NO_ROOM };
  let [waiting, peak, peakAt] = [0, 0, 0];

  function know(own: Allowance | null, limit: NanoUsd): void {
    known = own && { ...own, limit };
  }

  return {
    ask(amount, limit, day, now) {
      waiting++;
      if (waiting >= peak || now - peakAt > PEAK_MILLISECONDS) [peak, peakAt] = [waiting, now];
      if (known === null || known.day !== day || limit < known.limit) return null;
      const left = known.until - now;
      if (left <= MARGIN_MILLISECONDS || left > LIFETIME_MILLISECONDS) return null;
      const part = { amount, places: 1 };
      if (!hasRoom(without(known, promised), part)) return null;
      promised = sumOf([promised, part]);
      return part;
    },
    kept(draft, stored, part) {
      // The changes of a draft are applied in one go, so one draft is remembered.
      if (done.draft !== draft) done = { draft, room: NO_ROOM };
      done.room = sumOf([done.room, part]);
      if (stored === null) return NO_ROOM;
      const { amount, places } = without(promised, done.room);
      return {
        amount: stored.amount < amount ? stored.amount : amount,
        places: Math.min(stored.places, places),
      };
    },
    more(amount, left, set) {
      const most = left.amount / SHARE - set.amount;
      const places = Math.min(
        2 * peak,
        MOST_PLACES,
        Math.floor(left.places / Number(SHARE)) - set.places,
        Number(most / (amount || 1n)),
      );
      return places <= 0 ? NO_ROOM : { amount: BigInt(places) * amount, places };
    },
    close(part, own, limit) {
      waiting--;
      promised = without(promised, part);
      know(own, limit);
    },
    know,
    distrust() {
      known = null;
    },
  };
}
