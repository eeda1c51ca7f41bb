/**
 * Isolates, each with a ledger, over one database. One scheduler decides what happens next: every database operation,
 * timer, death and step of the clock is a move.
 */

import { setImmediate } from "node:timers/promises";
import { createLedger, type Ledger } from "../../../lib/proxy/ledger/ledger.ts";
import type { RatePolicy } from "../../../lib/proxy/ledger/rate_window.ts";
import type { StartTimer } from "../../../lib/platform/timeout.ts";
import { type Fate, faultyKv, type Operation } from "../../support/faulty_kv.ts";

/** Just before a midnight, so that runs pass it. */
const EVENING = Date.parse("2026-11-21T23:59:56Z");
/** The age at which the sweep charges a reservation. */
export const RESERVATION_SECONDS = 20;
/** Few enough that runs reach it. */
export const POLICY: RatePolicy = { requests: 24, windowSeconds: 60 };

/** An operation that waits to be let through. */
export interface Pending {
  readonly isolate: Isolate;
  readonly operation: Operation;
  readonly let: (fate: Fate) => void;
}

/** One process or isolate of the service. */
export interface Isolate {
  readonly ledger: Ledger;
  /** The database as it sees it. */
  readonly kv: Deno.Kv;
  readonly name: string;
  /** How far its clock is ahead, in milliseconds. */
  readonly ahead: number;
  isAlive: boolean;
}

/**
 * The world of one run over a database, which it empties. Timers run only when the run fires them.
 *
 * @param serviceLimit of all accounts together, in nano-dollars; undefined for none.
 */
export async function createLedgerWorld(kv: Deno.Kv, serviceLimit?: bigint) {
  for await (const { key } of kv.list({ prefix: [] })) await kv.delete(key);
  const timers = new Map<number, () => void>();
  const pending: Pending[] = [];
  const logged: { isolate: string; text: string }[] = [];
  const clock = { now: EVENING };
  let ended = Promise.withResolvers<void>();
  let count = 0;

  const startTimer: StartTimer = (work) => {
    const handle = ++count;
    timers.set(handle, work);
    return () => void timers.delete(handle);
  };

  function start(ahead = 0): Isolate {
    const name = `i${++count}`;
    const isolate = { name, ahead, isAlive: true } as Isolate & {
      ledger: Ledger;
      kv: Deno.Kv;
    };
    const own = faultyKv(
      kv,
      (operation) =>
        new Promise((resolve) => {
          if (isolate.isAlive) pending.push({ isolate, operation, let: resolve });
        }),
      () => ended.resolve(),
    );
    isolate.kv = own;
    isolate.ledger = createLedger({
      kv: own,
      now: () => clock.now + ahead,
      sleep: (milliseconds) => new Promise((resolve) => void startTimer(resolve, milliseconds)),
      policy: POLICY,
      reservationSeconds: RESERVATION_SECONDS,
      serviceLimit,
      hasOutbox: true,
      log: { warn() {}, error: (text: string) => void logged.push({ isolate: name, text }) },
      startTimer,
    });
    return isolate;
  }

  /** Runs all work that waits for no move; a commit waits for some turns of the event loop. */
  async function settle(): Promise<void> {
    for (let turn = 0; turn < 16; turn++) await setImmediate();
  }

  return {
    kv,
    serviceLimit,
    clock,
    startTimer,
    timers,
    pending,
    logged,
    start,
    settle,
    /** An isolate that has died never gets a result. */
    kill(isolate: Isolate): void {
      isolate.isAlive = false;
      for (const each of pending.filter((one) => one.isolate === isolate)) {
        pending.splice(pending.indexOf(each), 1);
      }
    },
    /** Performs one operation, and all work that follows from it until the next one. */
    async release(each: Pending, fate: Fate): Promise<void> {
      pending.splice(pending.indexOf(each), 1);
      ended = Promise.withResolvers();
      each.let(fate);
      await ended.promise;
      await settle();
    },
  };
}

/** The result of {@linkcode createLedgerWorld}. */
export type LedgerWorld = Awaited<ReturnType<typeof createLedgerWorld>>;
