/**
 * The daily limit of all accounts together, SERVICE_DAILY_LIMIT_USD. Each commit of an account adds to three sums of
 * its day, which only grow: `reserved`, `released` (the whole reservation at its settlement) and `spent`. An addition
 * checks nothing, so accounts do not conflict in them.
 *
 * A process keeps the sums in memory, and reads them again behind the requests, once a second at most. A figure that
 * is older than five seconds, or has less than a tenth of the limit left, is read before an admission. So requests
 * that other processes admit at the same instant may pass the limit by their estimates.
 */

import { getEntries } from "../../platform/kv/list.ts";
import type { NanoUsd } from "../../platform/money.ts";
import { SERVICE_SUMS, serviceSumKey } from "./values.ts";

/** What all accounts together have spent and reserved on a day. */
export async function readServiceSum(kv: Deno.Kv, day: string): Promise<NanoUsd> {
  const keys = SERVICE_SUMS.map((sum) => serviceSumKey(day, sum));
  const [reserved = 0n, released = 0n, spent = 0n] = (await getEntries<Deno.KvU64>(kv, keys))
    .map(({ value }) => value?.value ?? 0n);
  return reserved - released + spent;
}

/** An estimate that counts against the limit while its reservation is being committed. */
interface ServicePart {
  /** What is left of the limit without the estimate, zero or less if the limit is reached. */
  readonly left: NanoUsd;
  /** Notes whether the reservation was made. */
  end(isMade: boolean): void;
}

/** The dependencies of {@linkcode createServiceFigure}. */
interface ServiceFigureOptions {
  readonly kv: Deno.Kv;
  readonly limit: NanoUsd;
  /** Epoch milliseconds. */
  readonly now: () => number;
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
    /** What this process has reserved since the running read began; null if none runs. */
    let sinceReading: NanoUsd | null = null;
    let reading: Promise<void> | null = null;
    let isReached = false;

    const left = () => limit - stored - since - pending;

    async function read(): Promise<void> {
      const startedAt = now();
      sinceReading = 0n;
      try {
        stored = await readServiceSum(kv, day);
        [since, readAt] = [sinceReading, startedAt];
      } finally {
        [sinceReading, reading] = [null, null];
      }
    }

    async function take(amount: NanoUsd): Promise<ServicePart> {
      const age = Math.abs(now() - readAt);
      if (age > OLDEST_MILLISECONDS || NEAR * left() < limit) {
        // A read that runs already may have begun before an earlier request was booked.
        await reading?.catch(() => {});
        await (reading ??= read());
      } else if (age > REFRESH_MILLISECONDS) {
        // A request that needs the figure reports the failure.
        (reading ??= read()).catch(() => {});
      }
      const rest = left();
      if (rest <= 0n && !isReached) onReached(day);
      isReached ||= rest <= 0n;
      pending += amount;
      return {
        left: rest,
        end(isMade) {
          pending -= amount;
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
