/**
 * The real ledger of many isolates over one simulated database: commits and reads take a random time on
 * a clock of their own, versions are checked as Deno KV does, and a seed says everything.
 */

import { setImmediate } from "node:timers/promises";
import { type DayBook, dayKey, dayOf } from "../lib/proxy/ledger/books.ts";
import { createLedger, type Ledger } from "../lib/proxy/ledger/ledger.ts";
import { readServiceSum } from "../lib/proxy/ledger/service_day.ts";
import { markRemote } from "../lib/platform/kv/open.ts";
import type { StartTimer } from "../lib/platform/timeout.ts";
import { createRandom, type Random } from "../lib/sandbox/random.ts";
import { type Books, readBooks } from "../tests/support/ledger_books.ts";
import { createMemoryKv } from "../tests/support/memory_kv.ts";

/** The parameters of a simulation. Times are milliseconds of the simulated clock. */
export interface Load {
  readonly isolates: number;
  /** Accounts that requests are spread over. */
  readonly accounts: number;
  /** Requests per second, of all accounts, arriving at random moments at random isolates. */
  readonly rate: number;
  readonly seconds: number;
  /** Seconds of the same load before, in which each account asks each isolate in turn. They count only in the books. */
  readonly warmUpSeconds: number;
  /** The shortest and the longest commit, there and back; a read takes half as long. */
  readonly latency: readonly [number, number];
  /** The daily limit of each account as a share of what would be spent without one. */
  readonly limitShare: number;
  /** The same of all accounts together; absent for no such limit. */
  readonly serviceShare?: number | undefined;
  /** How many keys a commit may check: 100, as Deno KV allows, unless it says otherwise. */
  readonly maxChecks?: number;
  readonly seed: number;
}

const NOON = Date.parse("2026-11-21T12:00:00Z");
/** Nano-dollars: what a request reserves, and what it then costs at least. */
const AMOUNT = 7_000_000;
const LEAST_COST = 4_000_000;
/** How long a provider takes, in milliseconds. */
const PROVIDER = [200, 1_000] as const;
/** Seconds in which everything comes to rest, or never does. */
const LONGEST_REST = 600;

/** The result of a load. */
export type Outcome = Awaited<ReturnType<typeof simulate>>;

/** Runs a load. */
export async function simulate(load: Load) {
  const [random, jitter] = [createRandom(load.seed), createRandom(load.seed + 1)];
  const time = createTime();
  let ids = 0;
  const kv = createMemoryKv();
  const limit = limitOf(load);
  const { serviceShare } = load;
  const serviceLimit = serviceShare === undefined
    ? undefined
    : limitOf({ ...load, accounts: 1, limitShare: serviceShare });
  const meter = createMeter();
  const errors: string[] = [];
  const ledgers = Array.from({ length: load.isolates }, () =>
    createLedger({
      // Each isolate has a connection of its own, and learns the limits of the database by itself.
      kv: distantKv(kv, load, random, time.sleep, meter),
      now: time.now,
      sleep: time.sleep,
      policy: { requests: 1_000_000_000, windowSeconds: 1_800 },
      holdSeconds: 300,
      serviceLimit,
      log: { warn() {}, error: (text: string) => void errors.push(text) },
      startTimer: time.startTimer,
      random: jitter.next,
      createId: () => `id${++ids}`,
    }));

  const start = NOON + load.warmUpSeconds * 1_000;
  const end = start + load.seconds * 1_000;
  const tally = {
    /** Reservations that were answered while the load lasted, and how. */
    admitted: 0,
    refused: 0,
    /** Those of any time that ended in an error, which a caller sees as a 503. */
    failed: 0,
    /** Reservations that were answered only after the load had ended. */
    late: 0,
    /** Requests whose provider was called although they were then refused. */
    vain: 0,
  };
  const waits: number[] = [];
  let unused = 0;
  const shareOf = (sum: bigint) => Number(sum) / Number(serviceLimit ?? 1n);
  const added: number[] = [];

  async function request(index: number, account: number, ledger: Ledger): Promise<void> {
    const askedAt = time.now();
    const isCounted = askedAt >= start;
    const bid = {
      requestId: `r${index}`,
      accountId: `acc_${account}`,
      keyId: "7Jx0pQz41LbV",
      endpoint: "search",
      model: null,
      amount: BigInt(AMOUNT),
      limit,
    };
    try {
      const provider = random.int(PROVIDER[0], PROVIDER[1] - 1);
      const cost = BigInt(random.int(LEAST_COST, AMOUNT - 1));
      const { isSetAside, admission: asked } = ledger.ask(bid);
      const called = isSetAside ? time.sleep(provider) : null;
      const admission = await asked;
      if (isCounted) {
        const took = time.now() - askedAt;
        waits.push(isSetAside ? 0 : took);
        added.push(isSetAside ? Math.max(0, took - provider) : took);
        if (time.now() > end) tally.late++;
        else if (admission.admitted) tally.admitted++;
        else tally.refused++;
        if (isSetAside && !admission.admitted) tally.vain++;
        if (!admission.admitted && admission.reason === "service" && unused === 0) {
          unused = 1 - shareOf(await readServiceSum(kv, dayOf(NOON)));
        }
      }
      if (!admission.admitted) return;
      await (called ?? time.sleep(provider));
      await ledger.settle(admission.hold, { cost, status: 200 });
    } catch {
      tally.failed++;
    }
  }

  const asked = Math.round(load.rate * load.seconds);
  for (let index = -Math.round(load.rate * load.warmUpSeconds); index < asked; index++) {
    const turn = Math.floor(-index / load.accounts);
    const ledger = (index < 0 ? ledgers[turn] : undefined) ?? random.pick(ledgers);
    const account = index < 0 ? -index % load.accounts : random.int(0, load.accounts - 1);
    const [from, to] = index < 0 ? [NOON, start] : [start, end];
    void time.sleep(random.int(from, to - 1) - NOON).then(() => request(index, account, ledger));
  }

  const faults: string[] = [];
  const inspect = async (): Promise<Books | null> => {
    try {
      return await readBooks(kv);
    } catch (error) {
      faults.push(String(error));
      return null;
    }
  };
  await time.run((end - NOON) / 2);
  await inspect();
  await time.run((end - NOON) / 2);
  const isAtRest = await time.rest(LONGEST_REST * 1_000);
  const books = await inspect();
  if (!isAtRest) faults.push("it does not come to rest");
  if (books !== null && books.open.size > 0) faults.push(`${books.open.size} stay reserved`);
  const serviceUsed = serviceLimit === undefined ? 0 : shareOf(meter.highestOfAll);
  if (serviceUsed > 1) faults.push("the limit of all accounts was passed");
  const passedBy = Number(meter.highest - limit) / AMOUNT;
  if (passedBy >= 1) faults.push("the limit was passed by more than the last one admitted");
  if (passedBy < 0 && tally.refused > 0 && serviceLimit === undefined) {
    faults.push("the limit refused before it was reached");
  }
  faults.push(...errors);

  const at = (share: number, of: number[]) =>
    of.toSorted((one, other) => one - other)[Math.floor(of.length * share)] ?? NaN;
  const bookings = (books?.records.size ?? 0) * 2;
  return {
    asked,
    ...tally,
    ...meter,
    /** Reservations and settlements made by a commit, on average. */
    bookingsPerCommit: bookings / meter.commits,
    /** Until the provider could be called. */
    medianMilliseconds: at(0.5, waits),
    p99Milliseconds: at(0.99, waits),
    /** By how much the first byte of the answer came later than without a ledger. */
    medianAddedMilliseconds: at(0.5, added),
    p99AddedMilliseconds: at(0.99, added),
    /** From the end of the load until all was settled. */
    restMilliseconds: time.now() - end,
    /**
     * By how much `spent + reserved` of an account was above its limit after any commit, at most, as a part
     * of one reservation: below 1 if only the last one admitted has passed it; negative if it was never
     * reached.
     */
    passedBy,
    /** The highest use of the service's limit, and the unused part when a request was first refused for it. */
    serviceUsed,
    unusedAtFirstRefusal: unused,
    /** The errors in the books, during the requests or at the end; empty if there are none. */
    faults,
  };
}

/** The limit of an account: a share of 1 is about the expected spending, and a greater one is never reached. */
function limitOf({ rate, seconds, warmUpSeconds, accounts, limitShare }: Load): bigint {
  const meanCost = (LEAST_COST + AMOUNT) / 2;
  return BigInt(Math.round(rate * (seconds + warmUpSeconds) / accounts * meanCost * limitShare));
}

type Meter = ReturnType<typeof createMeter>;

function createMeter() {
  return {
    commits: 0,
    conflicts: 0,
    /** Commits that the database refused because they checked too many keys. */
    refusals: 0,
    reads: 0,
    /** How often which kind of key, by its first part, was the one that had changed. */
    hot: {} as Record<string, number>,
    /** The most that was spent and reserved of an account, and of all accounts, after any commit. */
    highest: 0n,
    highestOfAll: 0n,
  };
}

/** A database that is some milliseconds away; an operation happens when half of its time has passed. */
function distantKv(
  kv: Deno.Kv,
  { latency: [shortest, longest], maxChecks = 100 }: Load,
  random: Random,
  sleep: (milliseconds: number) => Promise<void>,
  meter: Meter,
): Deno.Kv {
  async function trip<T>(share: number, work: () => Promise<T>): Promise<T> {
    const there = share * (shortest + random.next() * (longest - shortest)) / 2;
    await sleep(there);
    const result = await work();
    await sleep(there);
    return result;
  }

  function atomic() {
    const operation = kv.atomic();
    const checks: Deno.AtomicCheck[] = [];
    const books: DayBook[] = [];
    const today = dayOf(NOON);
    const counted = {
      check(...given: Deno.AtomicCheck[]) {
        checks.push(...given);
        operation.check(...given);
        return counted;
      },
      set(...given: Parameters<Deno.AtomicOperation["set"]>) {
        const [key, value] = given;
        // Only the ledger writes this key: hence the cast.
        if (key[0] === DAY && key[2] === today) books.push(value as DayBook);
        operation.set(...given);
        return counted;
      },
      delete(key: Deno.KvKey) {
        operation.delete(key);
        return counted;
      },
      sum(...given: Parameters<Deno.AtomicOperation["sum"]>) {
        operation.sum(...given);
        return counted;
      },
      commit: () =>
        trip(1, async () => {
          if (checks.length > maxChecks) {
            meter.refusals++;
            // As Deno's client reports it.
            throw new TypeError(
              "KV Connect failed to call /atomic_write (status=400 Bad Request): Too many checks",
            );
          }
          // Both are made at once, before anything else runs.
          const reading = kv.getMany(checks.map(({ key }) => key));
          const result = await operation.commit();
          if (result.ok) {
            meter.commits++;
            const all = await readServiceSum(kv, today);
            if (all > meter.highestOfAll) meter.highestOfAll = all;
            for (const { spent, reserved } of books) {
              if (spent + reserved > meter.highest) meter.highest = spent + reserved;
            }
            return result;
          }
          meter.conflicts++;
          (await reading).forEach(({ key, versionstamp }, index) => {
            const kind = String(key[0]);
            if (versionstamp === checks[index]?.versionstamp) return;
            meter.hot[kind] = (meter.hot[kind] ?? 0) + 1;
          });
          return result;
        }),
    };
    return counted;
  }

  const own = {
    getMany(keys: Deno.KvKey[]) {
      meter.reads++;
      return trip(0.5, () => kv.getMany(keys));
    },
    atomic,
  };
  // These are all the methods that reserving and settling use.
  return markRemote(own as unknown as Deno.Kv);
}

/** The prefix of the day books' keys. */
const [DAY] = dayKey("", "");

/** A clock in whole milliseconds that jumps from one timer to the next. */
function createTime() {
  /** The events by their time in milliseconds. */
  const agenda = new Map<number, (() => void)[]>();
  let now = NOON;
  let waiting = 0;

  const startTimer: StartTimer = (work, milliseconds) => {
    const at = now + Math.round(milliseconds);
    let isCancelled = false;
    waiting++;
    const works = agenda.get(at) ?? [];
    agenda.set(at, works);
    works.push(() => {
      waiting--;
      if (!isCancelled) work();
    });
    return () => void (isCancelled = true);
  };

  async function step(): Promise<void> {
    for (let works = agenda.get(now); works !== undefined; works = agenda.get(now)) {
      agenda.delete(now);
      for (const work of works) work();
      // A turn of the real event loop: until then everything has run that waits for no timer.
      await setImmediate();
    }
    now++;
  }

  return {
    now: () => now,
    startTimer,
    sleep: (milliseconds: number) =>
      new Promise<void>((wake) => void startTimer(wake, milliseconds)),
    async run(milliseconds: number): Promise<void> {
      for (const end = now + milliseconds; now < end;) await step();
    },
    /** Runs until no timer waits, or for some milliseconds; returns whether no timer waits. */
    async rest(milliseconds: number): Promise<boolean> {
      for (const end = now + milliseconds; waiting > 0 && now < end;) await step();
      return waiting === 0;
    },
  };
}
