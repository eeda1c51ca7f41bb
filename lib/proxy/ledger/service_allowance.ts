/**
 * The service's daily limit, SERVICE_DAILY_LIMIT_USD: the sum of all accounts never passes it.
 *
 * An isolate reserves only from its service allowance, which it draws ahead of need, in a commit of its own. So
 * requests share no key that they all write. A draw reads the sum and the allowances (`service_day.ts`) at one
 * moment, and sets aside a part of what both leave; its commit checks the allowances. Whatever another isolate
 * reserves after that moment is in that isolate's allowance, so nothing is missed. The amounts that it reserved under
 * its allowance before that moment count twice, until its next draw.
 *
 * The allowance of an isolate that has ended counts until it expires. The next draw of another isolate then takes it
 * away, with the key that its owner's reservations check.
 */

import { beginAtomic } from "../../platform/kv/write.ts";
import { retryLocked } from "../../platform/kv/open.ts";
import type { NanoUsd } from "../../platform/money.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";
import type { StartTimer } from "../../platform/timeout.ts";
import { dayOf } from "./books.ts";
import { amountOf, readServiceDay, serviceAllowanceKey, type ServiceDay } from "./service_day.ts";

/** A part of the service allowance that a request has taken. */
export interface ServiceShare {
  readonly day: string;
  readonly amount: NanoUsd;
}

/** The service allowance of an isolate. */
export interface ServicePurse {
  /** Takes a part of the amount in hand; null if that is not enough. */
  take(amount: NanoUsd): ServiceShare | null;
  /**
   * Takes a part, after a draw if that is needed; null if the limit leaves too little.
   *
   * @throws the database's error.
   */
  draw(amount: NanoUsd): Promise<ServiceShare | null>;
  /** Notes that the reservation of a share is durable. */
  keep(share: ServiceShare): void;
  /** Notes that the reservation of a share was not made, and will not be. */
  giveBack(share: ServiceShare): void;
  /** Notes that a reservation was not covered: the allowance in hand has been taken away. */
  distrust(): void;
  /** The key that each reservation of a day must check: the reservation is covered while the key has a value. */
  key(day: string): Deno.KvKey;
  /** Gives back the amount in hand, when the isolate ends. Never rejects. */
  close(): Promise<void>;
}

/** The dependencies of {@linkcode createServicePurse}. */
interface ServicePurseOptions {
  readonly kv: Deno.Kv;
  /** The name of this isolate, which no other has. */
  readonly isolate: string;
  readonly limit: NanoUsd;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly random: () => number;
  readonly startTimer: StartTimer;
  /** Called for each day on which a draw finds the limit reached. */
  readonly onReached: (day: string) => void;
}

/** An isolate's view of its allowance on a day. */
interface Purse {
  readonly day: string;
  /** The amount that may still be taken, under each allowance that may be the stored one. */
  left: NanoUsd;
  /** The amount that was taken and is not durable yet: the sum may or may not include it. */
  unsettled: NanoUsd;
  /**
   * The same since a draw began to read, plus the amounts that became durable since then. The draw's allowance must
   * cover it.
   */
  covered: NanoUsd;
  /** The amount that may still be taken of the allowance that a draw is about to store. */
  nextLeft: NanoUsd;
  /** The amount that the last draw found neither spent nor reserved, allowances of all isolates included. */
  unused: NanoUsd;
  /** The stored allowance, as far as is known. */
  stored: NanoUsd;
  /** The amount left after the last draw, the time of the draw, and the end of its allowance. */
  drawn: NanoUsd;
  drawnAt: number;
  until: number;
  /** The amount taken since the last draw. */
  takenSince: NanoUsd;
  /** Whether anything was taken since the idle timer started. */
  isUsed: boolean;
  /** Whether the last draw could set aside less than it wanted. */
  isScarce: boolean;
}

/** How long an allowance lasts. */
const LIFETIME_MILLISECONDS = 60_000;
/** Its owner stops using it this long before its end, because clocks differ. */
const MARGIN_MILLISECONDS = 5_000;
/** How long an allowance is meant to last at the pace of the last one. */
const AHEAD_MILLISECONDS = 10_000;
/** The shortest time over which a pace is measured. */
const SHORTEST_MILLISECONDS = 1_000;
/** An isolate that uses nothing for this long gives its allowance back. */
const IDLE_MILLISECONDS = 15_000;
/**
 * All allowances together take at most about this part of the rest of the limit, besides the amounts that waiting
 * requests need.
 */
const SHARE = 2n;
/** The shortest pause after a draw that found too little. */
const REACHED_MILLISECONDS = 1_000;
/** While others hold enough for it, a request waits this many times, for about this long, before it is refused. */
const MAX_PAUSES = 3;
const PAUSE_MILLISECONDS = 100;
/** The lifetime of the marker, longer than its day. */
const MARKER_MILLISECONDS = 2 * DAY_MILLISECONDS;
/** The number of commits in a row that a draw may lose before it gives up. */
const MAX_LOSSES = 100;

/** Creates the service allowance of this isolate. */
export function createServicePurse(options: ServicePurseOptions): ServicePurse {
  const { kv, isolate, limit, now, random, startTimer, onReached } = options;
  let purse: Purse = emptyPurse(dayOf(now()));
  /** Purses of other days with unsettled amounts: a clock that was set back may need them again. */
  const others = new Map<string, Purse>();
  let drawing: Promise<void> | null = null;
  /** The amount that the requests need which wait for a draw. */
  let waiting = 0n;
  let reached = { day: "", amount: 0n, until: 0 };
  let isTimed = false;

  const sleep = (milliseconds: number) =>
    new Promise<void>((resolve) => void startTimer(resolve, milliseconds));

  function today(): Purse {
    const day = dayOf(now());
    if (purse.day !== day) {
      if (purse.unsettled !== 0n) others.set(purse.day, purse);
      purse = others.get(day) ?? emptyPurse(day);
      others.delete(day);
    }
    return purse;
  }

  const purseOf = (day: string) => purse.day === day ? purse : others.get(day) ?? null;

  function settle({ day, amount }: ServiceShare, isMade: boolean): void {
    const own = purseOf(day);
    if (own === null) return;
    if (isMade) own.unsettled -= amount;
    else move(own, -amount);
    // Both the sum and the stored allowance now include the amount, which other isolates may need soon.
    const isTwice = own.unsettled === 0n && own.stored > own.left;
    if (own === purse && own.isScarce && isTwice && drawing === null) startDraw().catch(() => {});
    if (own !== purse && own.unsettled === 0n) others.delete(day);
  }

  function take(amount: NanoUsd): ServiceShare | null {
    const own = today();
    const left = own.until - now();
    if (left <= MARGIN_MILLISECONDS || left > LIFETIME_MILLISECONDS) return null;
    if (amount > own.left) return null;
    move(own, amount);
    own.takenSince += amount;
    own.isUsed = true;
    const isLow = 2n * own.left < own.drawn || left < LIFETIME_MILLISECONDS / 2;
    // The request that finds nothing in hand reports a failure of the draw.
    if (isLow && drawing === null) startDraw().catch(() => {});
    return { day: own.day, amount };
  }

  /** An amount is taken, or given back if it is negative. */
  function move(own: Purse, amount: NanoUsd): void {
    own.left -= amount;
    own.nextLeft -= amount;
    own.unsettled += amount;
    own.covered += amount;
  }

  function startDraw(): Promise<void> {
    drawing ??= drawOnce(today()).finally(() => drawing = null);
    return drawing;
  }

  async function draw(amount: NanoUsd): Promise<ServiceShare | null> {
    waiting += amount;
    try {
      for (let attempt = 1;; attempt++) {
        // A draw in progress may not have counted this request.
        await drawing?.catch(() => {});
        const share = take(amount);
        if (share !== null) return share;
        const { day, until, amount: least } = reached;
        const isReached = day === dayOf(now()) && amount >= least && until > now();
        if (isReached && until <= now() + REACHED_MILLISECONDS) return null;
        await startDraw();
        const drawn = take(amount);
        if (drawn !== null) return drawn;
        if (attempt > MAX_PAUSES || purse.unused < amount) {
          setReached(amount);
          return null;
        }
        // Others hold enough. Much of it is used already, which their next draws show.
        await sleep((0.5 + random()) * PAUSE_MILLISECONDS);
      }
    } finally {
      waiting -= amount;
    }
  }

  function setReached(amount: NanoUsd): void {
    const day = dayOf(now());
    if (reached.day !== day) onReached(day);
    const least = reached.day === day && reached.until > now()
      ? smaller(reached.amount, amount)
      : amount;
    reached = { day, amount: least, until: now() + REACHED_MILLISECONDS };
  }

  /** Replaces the allowance by a new one. */
  async function drawOnce(own: Purse): Promise<void> {
    try {
      for (let losses = 0; losses <= MAX_LOSSES; losses++) {
        own.covered = own.unsettled;
        const { entry, marker, stored, sum } = await readServiceDay(kv, own.day, isolate);
        const others = stored.allowances.filter((each) => each.isolate !== isolate);
        own.unused = limit - sum;
        const left = own.unused - amountOf(others);
        const at = now();
        const { covered } = own;
        if (marker.value === null && covered > left) {
          // The allowance of the unsettled amounts was taken away, and others have used it. A new one must not
          // replace it.
          Object.assign(own, { left: 0n, until: 0 });
          return;
        }
        const more = fresh(own, left - covered, others.length + 1, at);
        own.nextLeft = more;
        // If the commit is reported lost although it was made, the stored allowance may be the old one or this one.
        own.left = smaller(own.left, more);
        const operation = beginAtomic(kv).check(entry);
        const live = others.filter(({ until }) => isLive(until, at));
        for (const each of others) {
          if (!live.includes(each)) operation.delete(serviceAllowanceKey(own.day, each.isolate));
        }
        const allowance = { isolate, amount: covered + more, until: at + LIFETIME_MILLISECONDS };
        // While little is left, a draw without waiting requests says nothing about the limit.
        const known = own.isScarce ? stored.reachedAt : undefined;
        const reached = more < waiting ? at : known;
        const allowances = [...live, allowance];
        const day: ServiceDay = reached === undefined
          ? { allowances }
          : { allowances, reachedAt: reached };
        operation.set(entry.key, day);
        if (marker.value === null) {
          operation.set(marker.key, true, { expireIn: MARKER_MILLISECONDS });
        }
        if ((await retryLocked(() => operation.commit())).ok) {
          const { nextLeft } = own;
          Object.assign(own, { left: nextLeft, drawn: more, drawnAt: at, takenSince: 0n });
          Object.assign(own, { stored: allowance.amount, until: allowance.until });
          watchIdle();
          return;
        }
        await sleep(random() * Math.min(100, 5 * 2 ** losses));
      }
      throw new Error("other isolates drew service allowances before every attempt to draw one");
    } catch (error) {
      // The commit may have been made or not, so nothing more is taken from either allowance.
      own.left = 0n;
      throw error;
    }
  }

  /** How much of the rest to set aside for future requests. */
  function fresh(own: Purse, left: NanoUsd, isolates: number, at: number): NanoUsd {
    own.isScarce = true;
    if (left <= 0n) return 0n;
    const elapsed = Math.ceil(Math.max(SHORTEST_MILLISECONDS, at - own.drawnAt));
    const pace = own.takenSince * BigInt(AHEAD_MILLISECONDS) / BigInt(elapsed);
    const share = left / (SHARE * BigInt(isolates));
    const wanted = larger(pace, 2n * waiting);
    own.isScarce = wanted > share;
    return smaller(larger(smaller(wanted, share), waiting), left);
  }

  function watchIdle(): void {
    if (isTimed) return;
    isTimed = true;
    purse.isUsed = false;
    startTimer(() => {
      isTimed = false;
      if (drawing !== null || purse.stored === 0n) return;
      if (purse.isUsed) watchIdle();
      else drawing = giveAllBack(purse).finally(() => drawing = null);
    }, IDLE_MILLISECONDS);
  }

  /**
   * Reduces the allowance to the amounts that are not durable yet. A failure does no harm, because the allowance
   * expires.
   */
  async function giveAllBack(own: Purse): Promise<void> {
    Object.assign(own, { left: 0n, until: 0 });
    try {
      const { entry, stored } = await readServiceDay(kv, own.day, isolate);
      const others = stored.allowances.filter((each) => each.isolate !== isolate);
      const rest = { isolate, amount: own.unsettled, until: now() + LIFETIME_MILLISECONDS };
      const operation = beginAtomic(kv).check(entry);
      if (own.unsettled === 0n) operation.delete(serviceAllowanceKey(own.day, isolate));
      const allowances = own.unsettled === 0n ? others : [...others, rest];
      operation.set(entry.key, { allowances } satisfies ServiceDay);
      if ((await retryLocked(() => operation.commit())).ok) own.stored = rest.amount;
    } catch {
      // See above.
    }
  }

  return {
    take,
    draw: async (amount) => take(amount) ?? await draw(amount),
    keep: (share) => settle(share, true),
    giveBack: (share) => settle(share, false),
    distrust() {
      purse.left = 0n;
      purse.until = 0;
    },
    key: (day) => serviceAllowanceKey(day, isolate),
    async close() {
      await drawing?.catch(() => {});
      if (purse.stored > 0n) await giveAllBack(purse);
    },
  };
}

/** Whether an allowance counts; one of a clock that is far ahead would count for too long. */
function isLive(until: number, now: number): boolean {
  return until > now && until <= now + 2 * LIFETIME_MILLISECONDS;
}

function emptyPurse(day: string): Purse {
  const none = {
    left: 0n,
    unsettled: 0n,
    covered: 0n,
    nextLeft: 0n,
    unused: 0n,
    stored: 0n,
    drawn: 0n,
    takenSince: 0n,
  };
  return { day, ...none, until: 0, drawnAt: 0, isUsed: false, isScarce: false };
}

const larger = (one: bigint, other: bigint) => one > other ? one : other;
const smaller = (one: bigint, other: bigint) => one < other ? one : other;
