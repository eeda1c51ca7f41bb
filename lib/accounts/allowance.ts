/**
 * Allowances: what an isolate has set aside for an account's next requests, so that it may call the provider while
 * their reservation is still being committed.
 *
 * An allowance is stored with the account's rate window and counts towards both limits like a reservation. The commit
 * of a request takes the request's part out of it and sets more aside. A part that is not used is given back: after
 * {@linkcode LIFETIME_MILLISECONDS} the allowance counts for nothing, and the account's next commit removes it.
 */

import type { NanoUsd } from "../money.ts";

/** A part of both limits. */
export interface Room {
  readonly amount: NanoUsd;
  /** Requests that the rate limit admits. */
  readonly places: number;
}

/** What one isolate has set aside for an account. */
export interface Allowance extends Room {
  readonly isolate: string;
  /** The UTC day of the money; on another day the allowance counts for nothing. */
  readonly day: string;
  /** Epoch milliseconds after which it counts for nothing. */
  readonly until: number;
}

/** Long enough for callers who ask every few seconds. Within it, few accounts use up what they have left. */
export const LIFETIME_MILLISECONDS = 60_000;
/** The isolate stops using its allowance this long before the others ignore it: clocks differ. */
const MARGIN_MILLISECONDS = 5_000;
/** The requests that an allowance is for, at most. */
const MOST_PLACES = 64;
/** For so long an isolate expects as many requests at once as there were. */
const PEAK_MILLISECONDS = 10_000;

export const NO_ROOM: Room = { amount: 0n, places: 0 };

/** The sum of some rooms. */
export function sumOf(rooms: readonly Room[]): Room {
  return rooms.reduce(
    (sum, { amount, places }) => ({ amount: sum.amount + amount, places: sum.places + places }),
    NO_ROOM,
  );
}

function without({ amount, places }: Room, less: Room): Room {
  return { amount: amount - less.amount, places: places - less.places };
}

function hasRoom(room: Room | null, { amount, places }: Room): room is Room {
  return room !== null && room.amount >= amount && room.places >= places;
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

/** What allowances take of the limits on a day: money of that day, and places of any. */
export function setAside(allowances: readonly Allowance[], day: string): Room {
  return sumOf(allowances.map((each) => each.day === day ? each : { ...each, amount: 0n }));
}

/** One attempt to commit requests of an account. */
export interface Attempt {
  /** The parts of the requests that it has come to, if they were promised some. */
  done: Room;
  /** What it leaves set aside. */
  own: Allowance | null;
}

/** What this isolate knows of its allowance for one account. */
export interface Purse {
  /**
   * Counts a request, and promises it a part of the allowance if that is certain to last until its commit.
   *
   * @returns the part, or null: then the request must wait for its commit.
   */
  ask(amount: NanoUsd, limit: NanoUsd, day: string, now: number): Room | null;
  /** The attempt that a draft belongs to; a new one begins with the stored allowance. */
  attempt(draft: object, stored: Allowance | null): Attempt;
  /**
   * Takes a request's part, if it was promised one, out of what is stored.
   *
   * @returns whether the part was there, and what must stay set aside for other requests.
   */
  take(
    attempt: Attempt,
    stored: Room | null,
    part: Room | null,
  ): { readonly isTaken: boolean; readonly kept: Room };
  /** What must stay set aside of the stored allowance for requests under way. */
  kept(stored: Room | null): Room;
  /** What to set aside for further requests like one of `amount`, of what both limits have left. */
  more(amount: NanoUsd, left: Room, set: Room): Room;
  /** A request's attempt was made; null if that is not known. */
  close(part: Room | null, made: Attempt | null, limit: NanoUsd): void;
}

/** Creates the purse of an account. */
export function createPurse(): Purse {
  let known = null as Allowance & { limit: NanoUsd } | null;
  /** Parts of the allowance that requests under way were promised. */
  let promised = NO_ROOM;
  let [waiting, peak, peakAt] = [0, 0, 0];
  /** The attempt under way. Until it is made, a promise must hold with it and without it. */
  let current = null as Attempt & { readonly draft: object } | null;

  const keep = (stored: Room | null, pending: Room): Room =>
    stored === null ? NO_ROOM : {
      amount: stored.amount < pending.amount ? stored.amount : pending.amount,
      places: Math.min(stored.places, pending.places),
    };

  return {
    ask(amount, limit, day, now) {
      waiting++;
      if (waiting >= peak || now - peakAt > PEAK_MILLISECONDS) [peak, peakAt] = [waiting, now];
      if (known === null || known.day !== day || limit < known.limit) return null;
      const left = known.until - now;
      if (left <= MARGIN_MILLISECONDS || left > LIFETIME_MILLISECONDS) return null;
      const part = { amount, places: 1 };
      if (!hasRoom(without(known, promised), part)) return null;
      if (current !== null) {
        const next = sumOf([current.own ?? NO_ROOM, current.done]);
        if (!hasRoom(without(next, promised), part)) return null;
      }
      promised = sumOf([promised, part]);
      return part;
    },
    attempt(draft, stored) {
      if (current?.draft !== draft) current = { draft, done: NO_ROOM, own: stored };
      return current;
    },
    take(attempt, stored, part) {
      if (part !== null) attempt.done = sumOf([attempt.done, part]);
      const isTaken = part !== null && hasRoom(stored, part);
      const left = isTaken ? without(stored, part) : stored;
      return { isTaken, kept: keep(left, without(promised, attempt.done)) };
    },
    kept: (stored) => keep(stored, promised),
    more(amount, left, set) {
      // All allowances together take less than half of what is left, so that none refuses anyone else's request.
      const most = left.amount / 2n - set.amount;
      const places = Math.min(
        2 * peak,
        MOST_PLACES,
        Math.floor(left.places / 2) - set.places,
        Number(most / (amount || 1n)),
      );
      return places <= 0 ? NO_ROOM : { amount: BigInt(places) * amount, places };
    },
    close(part, made, limit) {
      waiting--;
      if (part !== null) promised = without(promised, part);
      known = made?.own ? { ...made.own, limit } : null;
      current = null;
    },
  };
}
