/**
 * The daily limit of all accounts together, SERVICE_DAILY_LIMIT_USD. Where there is one, each commit of an account adds
 * to two sums of its day, which only grow: `used`, and what of it was `released`. An addition checks nothing, so
 * accounts do not conflict in them. The first request of a day begins them with what all accounts' books have.
 *
 * A process keeps the sums in memory, and reads them again behind the requests, once a second at most. A figure that
 * is older than five seconds, or has less than a tenth of the limit left, is read before an admission. So requests
 * that other processes admit at the same instant may pass the limit by their estimates.
 */

import { getEntries } from "../../platform/kv/list.ts";
import { beginAtomic, commit } from "../../platform/kv/write.ts";
import type { NanoUsd } from "../../platform/money.ts";
import type { Platform } from "../../platform/platform.ts";
import { listAccountDays } from "./read.ts";
import { SERVICE_SUMS, serviceSumKey } from "./values.ts";

/** The sum of the amounts that all accounts have spent and reserved on a day. */
export async function readServiceSum(kv: Deno.Kv, day: string): Promise<NanoUsd> {
  const [used] = await readSums(kv, day);
  return used ?? await sumAccounts(kv, day);
}

/** The same, and begins the sums if no process has. */
async function beginServiceSum(kv: Deno.Kv, day: string): Promise<NanoUsd> {
  for (;;) {
    const [used, entry] = await readSums(kv, day);
    if (used !== null) return used;
    const sum = await sumAccounts(kv, day);
    const operation = beginAtomic(kv).check(entry).set(entry.key, new Deno.KvU64(sum))
      .set(serviceSumKey(day, "released"), new Deno.KvU64(0n));
    // If another process was faster, accounts may have added to its sums.
    if ((await commit(operation)).ok) return sum;
  }
}

/** The used amount by the sums, or null before they have begun; and the entry with which they begin. */
async function readSums(kv: Deno.Kv, day: string) {
  const keys = SERVICE_SUMS.map((sum) => serviceSumKey(day, sum));
  const [used, released] = await getEntries<Deno.KvU64>(kv, keys);
  if (used === undefined) throw new Error("a read of two keys has two entries");
  const isBegun = used.value !== null;
  return [isBegun ? used.value.value - (released?.value?.value ?? 0n) : null, used] as const;
}

async function sumAccounts(kv: Deno.Kv, day: string): Promise<NanoUsd> {
  let sum = 0n;
  for await (const accounts of listAccountDays(kv, day)) {
    for (const { sums: { spent, reserved } } of accounts) sum += spent + reserved;
  }
  return sum;
}

/** An estimate that counts against the limit while its reservation is being committed. */
interface ServicePart {
  /** The rest of the limit without the estimate, zero or less if the limit is reached. */
  readonly left: NanoUsd;
  /** Notes whether the reservation was made. */
  end(isMade: boolean): void;
}

/** The dependencies of {@linkcode createServiceFigure}. */
interface ServiceFigureOptions extends Pick<Platform, "kv" | "now"> {
  readonly limit: NanoUsd;
  /** Called once for each day on which the limit is found reached. */
  readonly onReached: (day: string) => void;
}

const REFRESH_MILLISECONDS = 1_000;
const OLDEST_MILLISECONDS = 5_000;
/** The part of the limit below which each admission reads the sums. */
const NEAR = 10n;

/** Creates the figure of this process. */
export function createServiceFigure({ kv, limit, now, onReached }: ServiceFigureOptions) {
  let today = createDay("");

  function createDay(day: string) {
    let readAt = -Infinity;
    /** The sums as read, what this process has reserved since that read began, and what it is about to reserve. */
    let [stored, since, pending] = [0n, 0n, 0n];
    /** The amount that this process has reserved since the running read began; null if none runs. */
    let sinceReading: NanoUsd | null = null;
    let reading: Promise<void> | null = null;
    let isReached = false;
    /** Resolve when the reservations of `pending` are made or not. */
    const committing = new Set<Promise<void>>();

    const left = () => limit - stored - since - pending;

    async function read(): Promise<void> {
      const startedAt = now();
      sinceReading = 0n;
      try {
        stored = await beginServiceSum(kv, day);
        [since, readAt] = [sinceReading, startedAt];
      } finally {
        [sinceReading, reading] = [null, null];
      }
    }

    async function readAgain(): Promise<void> {
      // A read that runs already may have begun before an earlier request was booked.
      await reading?.catch(() => {});
      await (reading ??= read());
    }

    async function take(amount: NanoUsd): Promise<ServicePart> {
      const age = Math.abs(now() - readAt);
      if (age > OLDEST_MILLISECONDS || NEAR * left() < limit) await readAgain();
      else if (age > REFRESH_MILLISECONDS) {
        // A request that needs the figure reports the failure.
        (reading ??= read()).catch(() => {});
      }
      // What is committed during a read may be counted twice, and what is pending be refused. So a limit is found
      // reached only when nothing is; an estimate that does not fit is compared once more.
      let isCompared = false;
      while (left() <= 0n || amount > left() && !isCompared) {
        if (stored >= limit || since + pending === 0n) break;
        isCompared = true;
        await Promise.all(committing);
        await readAgain();
      }
      const rest = left();
      if (rest <= 0n) {
        if (!isReached) onReached(day);
        isReached = true;
        return { left: rest, end() {} };
      }
      pending += amount;
      const { promise, resolve } = Promise.withResolvers<void>();
      committing.add(promise);
      return {
        left: rest,
        end(isMade) {
          pending -= amount;
          committing.delete(promise);
          resolve();
          if (!isMade) return;
          since += amount;
          if (sinceReading !== null) sinceReading += amount;
        },
      };
    }

    return { day, take };
  }

  return {
    /**
     * Counts an estimate, after a read of the sums if the figure is too old or too near the limit.
     *
     * @throws the database's error.
     */
    take(amount: NanoUsd, day: string): Promise<ServicePart> {
      if (today.day !== day) today = createDay(day);
      return today.take(amount);
    },
  };
}
