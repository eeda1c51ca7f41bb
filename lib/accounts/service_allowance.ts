/**
 * The service's daily limit, SERVICE_DAILY_LIMIT_USD: the sum of all accounts never passes it.
 *
 * An isolate reserves only from its service allowance, which it draws ahead of need, in a commit of its own. So
 * requests share no key that they all write. A draw reads the sum and the allowances (`service_day.ts`) at one moment,
 * and sets aside a part of what both leave; its commit checks the allowances. Whatever another isolate reserves after
 * that moment is in that isolate's allowance, so nothing is missed. What it has reserved of its allowance before
 * counts twice, until its next draw.
 *
 * The allowance of an isolate that is gone counts until its time is over; the next draw of another one takes it away,
 * and with it the key that the reservations of its owner check.
 */

import { beginAtomic, retryLocked } from "../kv/mod.ts";
import type { NanoUsd } from "../money.ts";
import { DAY_MILLISECONDS } from "../time.ts";
import type { StartTimer } from "../timeout.ts";
import { dayOf } from "./books.ts";
import { amountOf, readServiceDay, serviceAllowanceKey, type ServiceDay } from "./service_day.ts";

/** A part of the service allowance that a request has taken. */
export interface ServiceShare {
  readonly day: string;
  readonly amount: NanoUsd;
}

/** The service allowance of an isolate. */
export interface ServicePurse {
  /** Takes a part of what is in hand; null if that is not enough. */
  take(amount: NanoUsd): ServiceShare | null;
  /**
   * Takes a part, after a draw if that is needed; null if the limit leaves too little.
   *
   * @throws what the database throws.
   */
  draw(amount: NanoUsd): Promise<ServiceShare | null>;
  /** What a share was taken for is durable. */
  keep(share: ServiceShare): void;
  /** What a share was taken for was not done, and will not be. */
  giveBack(share: ServiceShare): void;
  /** A reservation found that it is not covered: what is in hand was taken away. */
  distrust(): void;
  /** A reservation of a day must check this key, and is covered while it has a value. */
  key(day: string): Deno.KvKey;
  /** Gives back what is in hand; for an isolate that ends. Never rejects. */
  close(): Promise<void>;
}

/** What {@linkcode createServicePurse} needs. */
interface ServicePurseOptions {
  readonly kv: Deno.Kv;
  /** The name of this isolate, which no other has. */
  readonly isolate: string;
  readonly limit: NanoUsd;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly random: () => number;
  readonly startTimer: StartTimer;
  /** Is told of each day on which a draw finds the limit reached. */
  readonly onReached: (day: string) => void;
}

/** What an isolate knows of its allowance on a day. */
interface Purse {
  readonly day: string;
  /** What may still be taken, under any of the allowances that may be the stored one. */
  left: NanoUsd;
  /** What was taken and is not durable yet: the sum may or may not have it. */
  unsettled: NanoUsd;
  /** The same since a draw began to read, with all that became durable meanwhile: what its allowance must cover. */
  covered: NanoUsd;
  /** What may still be taken of the allowance that a draw is about to store. */
  nextLeft: NanoUsd;
  /** What the last draw found neither spent nor reserved, whoever has set it aside. */
  unused: NanoUsd;
  /** The stored allowance, as far as is known. */
  stored: NanoUsd;
  /** What was left after the last draw, its time, and the end of its allowance. */
  drawn: NanoUsd;
  drawnAt: number;
  until: number;
  /** What was taken since the last draw. */
  takenSince: NanoUsd;
  /** Whether anything was taken since the idle timer started. */
  isUsed: boolean;
  /** Whether the last draw could set aside less than it wanted. */
  isScarce: boolean;
}

/** An allowance lasts so long. */
const LIFETIME_MILLISECONDS = 60_000;
/** Its owner stops using it so long before: clocks differ. */
const MARGIN_MILLISECONDS = 5_000;
/** An allowance is meant to last for so long at the pace of the last one. */
const AHEAD_MILLISECONDS = 10_000;
/** A pace is taken from a time of this length at least. */
const SHORTEST_MILLISECONDS = 1_000;
/** An isolate that has used nothing for so long gives its allowance back. */
const IDLE_MILLISECONDS = 15_000;
/** All allowances together take at most about this part of what the limit leaves, besides what waiting requests need. */
const SHARE = 2n;
/** After a draw that found too little, another one is made after so long at the earliest. */
const REACHED_MILLISECONDS = 1_000;
/** A request for which others hold enough waits so often, for about so long, before it is refused. */
const MAX_PAUSES = 3;
const PAUSE_MILLISECONDS = 100;
/** The marker outlives its day. */
const MARKER_MILLISECONDS = 2 * DAY_MILLISECONDS;
/** Commits in a row that others may win before a draw gives up. */
const MAX_LOSSES = 100;

/** Creates the service allowance of this isolate. */
export function createServicePurse(options: ServicePurseOptions): ServicePurse {
  const { kv, isolate, limit, now, random, startTimer, onReached } = options;
  let purse: Purse = emptyPurse(dayOf(now()));
  /** Purses of other days with something unsettled: a clock that was set back may need them again. */
  const others = new Map<string, Purse>();
  let drawing: Promise<void> | null = null;
  /** What the requests that wait for a draw need. */
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
    // The sum has what was taken now, and the stored allowance still has it too: others need that soon.
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
    // Its failure is reported by the request that finds nothing in hand.
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
        // A draw that is under way may not have counted this request.
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
        // Others hold enough: much of that is used already, and their next draws say so.
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
          // The allowance of what is unsettled was taken away, and is used up: it must not be made good.
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
        // While little is left, a draw that nothing waits for says nothing about the limit.
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
      // The commit may have been made or not, so nothing more is taken of either allowance.
      own.left = 0n;
      throw error;
    }
  }

  /** How much to set aside for requests to come, of what is left for them. */
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

  /** Keeps what is not durable yet, and no more. A failure is no matter: the allowance ends by itself. */
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
