/**
 * One transaction for the commits of several groups. In a database file each transaction costs the same, whatever it
 * holds, and they are made one after another: so commits that arrive during one share the next. In a remote database
 * commits run side by side, and each is made alone.
 */

import type { StartTimer } from "../timeout.ts";
import { isUnfit } from "./commit_size.ts";
import { isRemote, retryLocked } from "./open.ts";
import { beginAtomic } from "./write.ts";

/** A commit: its checks and its writes. */
export interface Part {
  readonly checks: readonly Deno.AtomicCheck[];
  readonly writes: readonly {
    readonly key: Deno.KvKey;
    /** Null to delete the key. */
    readonly value: unknown;
    readonly expireIn?: number;
  }[];
  /** The sums to which amounts are added, with the amounts. */
  readonly sums: readonly { readonly key: Deno.KvKey; readonly amount: bigint }[];
}

interface Waiting {
  readonly part: Part;
  readonly resolve: (versionstamp: Promise<string | null>) => void;
}

/** The longest wait for the commit in progress, which may hang. */
const MAX_WAIT_MILLISECONDS = 10;
/** A transaction holds at most 100 checks, and seldom more than ten of one part. */
const MAX_CHECKS = 90;

/**
 * Creates a function that commits a part and returns its versionstamp, or null if a checked value has changed. It
 * throws the database's errors.
 */
export function createSharedCommit(
  kv: Deno.Kv,
  startTimer: StartTimer,
): (part: Part) => Promise<string | null> {
  const isAlone = isRemote(kv);
  let inFlight = 0;
  const waiting: Waiting[] = [];
  let cancelTimer = () => {};

  async function make(parts: readonly Part[]): Promise<string | null> {
    const operation = beginAtomic(kv);
    for (const { checks, writes, sums } of parts) {
      operation.check(...checks);
      for (const { key, value, expireIn } of writes) {
        if (value === null) operation.delete(key);
        else operation.set(key, value, expireIn === undefined ? {} : { expireIn });
      }
      for (const { key, amount } of sums) operation.sum(key, BigInt.asUintN(64, amount));
    }
    inFlight++;
    try {
      const done = await retryLocked(() => operation.commit());
      return done.ok ? done.versionstamp : null;
    } finally {
      inFlight--;
      makeWaiting();
    }
  }

  /** Commits the waiting parts in one transaction, or each in its own if one of them holds up the others. */
  function makeWaiting(): void {
    cancelTimer();
    const some: Waiting[] = [];
    for (let checks = 0; waiting.length > 0;) {
      checks += waiting[0]?.part.checks.length ?? 0;
      if (some.length > 0 && checks > MAX_CHECKS) break;
      some.push(...waiting.splice(0, 1));
    }
    if (some.length === 0) return;
    if (waiting.length > 0) cancelTimer = startTimer(makeWaiting, MAX_WAIT_MILLISECONDS);
    const parts = some.map(({ part }) => part);
    const together = make(parts).catch((error) => {
      if (isUnfit(error) && parts.length > 1) return null;
      throw error;
    });
    for (const { part, resolve } of some) {
      resolve(together.then((made) => made ?? (parts.length > 1 ? make([part]) : null)));
    }
  }

  return (part) => {
    if (inFlight === 0 || isAlone) return make([part]);
    return new Promise((resolve) => {
      if (waiting.push({ part, resolve }) === 1) {
        cancelTimer = startTimer(makeWaiting, MAX_WAIT_MILLISECONDS);
      }
    });
  };
}
