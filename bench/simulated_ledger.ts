/**
 * The real ledgers of some isolates over one simulated database: commits and reads take a random time on a clock of
 * their own, and a seed says everything.
 */

import { setImmediate } from "node:timers/promises";
import { createLedger } from "../lib/proxy/ledger/ledger.ts";
import type { StartTimer } from "../lib/platform/timeout.ts";
import { createRandom, type Random } from "../lib/sandbox/random.ts";
import { readBooks } from "../tests/support/ledger_books.ts";
import { createMemoryKv } from "../tests/support/memory_kv.ts";
import { median, percentile } from "./statistics.ts";

/** The parameters of a simulation. Times are milliseconds of the simulated clock. */
export interface Load {
  readonly isolates: number;
  readonly accounts: number;
  /** Callers of each account. Each searches, waits for the response, pauses, and searches again. */
  readonly callers: number;
  readonly searches: number;
  /** The shortest and the longest commit, there and back; a read takes half as long. */
  readonly latency: readonly [number, number];
  readonly seed: number;
}

const NOON = Date.parse("2026-11-21T12:00:00Z");
const AMOUNT = 7_000_000n;
/** How long a provider takes, and a caller pauses. */
const PROVIDER = [200, 1_000] as const;
const PAUSE = [100, 2_000] as const;

/** The result of a load. */
export type Outcome = Awaited<ReturnType<typeof simulate>>;

/** Runs a load. */
export async function simulate(load: Load) {
  const { isolates, accounts, callers, searches, latency, seed } = load;
  const [random, jitter] = [createRandom(seed), createRandom(seed + 1)];
  const time = createTime();
  const kv = createMemoryKv();
  const errors: string[] = [];
  const processes = Array.from({ length: isolates }, () => {
    const meter: Meter = { commits: new Map(), lost: 0, reads: 0 };
    const ledger = createLedger({
      kv: distantKv(kv, latency, random, time.sleep, meter),
      now: time.now,
      sleep: time.sleep,
      policy: { requests: 1_000_000_000, windowSeconds: 1_800 },
      reservationSeconds: 300,
      log: { warn() {}, error: (text: string) => void errors.push(text) },
      startTimer: time.startTimer,
      random: jitter.next,
    });
    return { meter, ledger };
  });

  const waits: number[] = [];
  /** Of each search but an account's first at an isolate: what ended between its arrival and its call. */
  const commits: number[] = [];
  const reads: number[] = [];
  let ids = 0;

  async function search(accountId: string, isFirst: boolean): Promise<void> {
    const { ledger, meter } = random.pick(processes);
    const commitsOf = () => meter.commits.get(accountId) ?? 0;
    const [askedAt, commitsBefore, readsBefore] = [time.now(), commitsOf(), meter.reads];
    const admission = await ledger.reserve({
      requestId: `r${++ids}`,
      accountId,
      keyId: "7Jx0pQz41LbV",
      endpoint: "search",
      model: null,
      amount: AMOUNT,
      limit: 10n ** 18n,
    });
    waits.push(time.now() - askedAt);
    if (!isFirst) {
      commits.push(commitsOf() - commitsBefore);
      reads.push(meter.reads - readsBefore);
    }
    if (!admission.admitted) throw new Error("refused");
    await time.sleep(random.int(PROVIDER[0], PROVIDER[1] - 1));
    void ledger.settle(admission.reservation, { cost: AMOUNT, status: 200 });
  }

  async function call(accountId: string): Promise<void> {
    for (let count = 0; count < searches; count++) {
      await time.sleep(random.int(PAUSE[0], PAUSE[1] - 1));
      await search(accountId, count === 0);
    }
  }

  const all = Array.from(
    { length: accounts * callers },
    (_, index) => call(`acc_${index % accounts}`),
  );
  await time.through(Promise.all(all));
  await time.through(Promise.all(processes.map(({ ledger }) => ledger.flush())));
  const { open, records } = await readBooks(kv);
  if (open.size > 0 || records.size !== ids) {
    errors.push(`${open.size} open, ${records.size} records`);
  }
  return {
    searches: ids,
    /** Between the arrival of a search and the call of its provider. */
    medianMilliseconds: median(waits),
    p99Milliseconds: percentile(waits, 99),
    /** The same without an account's first search: commits of the account that ended and reads that began. */
    mostCommits: Math.max(...commits),
    commits: mean(commits),
    reads: mean(reads),
    lost: processes.reduce((sum, { meter }) => sum + meter.lost, 0),
    errors,
  };
}

function mean(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
}

/** What a process has done. */
interface Meter {
  /** Commits that have ended, by account. */
  readonly commits: Map<string, number>;
  lost: number;
  reads: number;
}

/** A database that is some milliseconds away; an operation happens when half of its time has passed. */
function distantKv(
  kv: Deno.Kv,
  [shortest, longest]: readonly [number, number],
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

  function read<T>(work: () => Promise<T>): Promise<T> {
    meter.reads++;
    return trip(0.5, work);
  }

  const own = {
    get: (key: Deno.KvKey) => read(() => kv.get(key)),
    getMany: (keys: Deno.KvKey[]) => read(() => kv.getMany(keys)),
    atomic() {
      const operation = kv.atomic();
      const { set, commit } = operation;
      let account = "";
      operation.set = (key, ...given) => {
        if (key[0] === "ledger") account = String(key[1]);
        return set(key, ...given);
      };
      operation.commit = async () => {
        const result = await trip(1, commit);
        meter.commits.set(account, (meter.commits.get(account) ?? 0) + 1);
        if (!result.ok) meter.lost++;
        return result;
      };
      return operation;
    },
  };
  // These are all the methods that reserving and settling use.
  return own as unknown as Deno.Kv;
}

/** A clock in whole milliseconds that jumps from one timer to the next. */
function createTime() {
  const agenda = new Map<number, (() => void)[]>();
  let now = NOON;

  const startTimer: StartTimer = (work, milliseconds) => {
    const at = now + Math.round(milliseconds);
    let isCancelled = false;
    const works = agenda.get(at) ?? [];
    agenda.set(at, works);
    works.push(() => {
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
    /** Runs until a promise is settled. */
    async through(work: Promise<unknown>): Promise<void> {
      let isOver = false;
      void work.finally(() => isOver = true);
      while (!isOver) await step();
    },
  };
}
