/**
 * Collects refusals in memory and stores them every few seconds, so that a flood of refused requests costs next to
 * nothing. A process that is killed loses those that it has not stored.
 */

import type { Log } from "../../platform/log.ts";
import { mergeRefusals, type Refusal, type RefusedRequest } from "./refusal.ts";
import { startRealTimer, type StartTimer } from "../../platform/timeout.ts";
import { listRefusals, storeRefusals } from "./refusals.ts";

const WAIT_MILLISECONDS = 5_000;
/** After a failure of the database. */
const LONG_WAIT_MILLISECONDS = 60_000;
/** The number of accounts with waiting refusals. Together with MAX_KINDS it limits the memory to some megabytes. */
const MAX_ACCOUNTS = 1_000;
/** The number of an account's kinds that are stored whole at a time: the latest ones. */
export const MAX_KINDS = 20;
/** How often a list is read again for refusals that were being stored: pages wait for it, and it need not be exact. */
const MAX_ROUNDS = 2;

/** Records refusals. */
export type RefusalRecorder = ReturnType<typeof createRefusalRecorder>;

/** Creates the recorder of a process. */
export function createRefusalRecorder({ kv, now, log, startTimer = startRealTimer }: {
  readonly kv: Deno.Kv;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Pick<Log, "warn">;
  readonly startTimer?: StartTimer;
}) {
  /** By account. */
  let waiting = new Map<string, Refusal[]>();
  let lost = 0;
  let hasFailed = false;
  let stopTimer: (() => void) | null = null;
  let storing = Promise.resolve();

  function add(refusal: Refusal): void {
    const { accountId, requests } = refusal;
    const known = waiting.get(accountId) ?? [];
    if (known.length === 0 && waiting.size === MAX_ACCOUNTS) {
      lost += requests;
      return;
    }
    known.push(refusal);
    // Not with each refusal: a flood must stay cheap.
    waiting.set(accountId, known.length < 2 * MAX_KINDS ? known : mergeRefusals(known, MAX_KINDS));
  }

  async function storeNoted(): Promise<void> {
    const refusals = [...waiting.values()].flatMap((known) => mergeRefusals(known, MAX_KINDS));
    waiting = new Map();
    if (refusals.length === 0) return;
    try {
      await storeRefusals(kv, refusals);
      hasFailed = false;
    } catch (cause) {
      hasFailed = true;
      log.warn("Refusals could not be stored yet.", { cause });
      refusals.forEach(add);
    }
    if (lost > 0) log.warn("Refusals of too many accounts came at once.", { notRecorded: lost });
    lost = 0;
  }

  /** Stores the noted refusals. Never rejects: after a failure they wait for the next refusal. */
  function flush(): Promise<void> {
    stopTimer?.();
    stopTimer = null;
    return storing = storing.then(storeNoted);
  }

  return {
    /** Notes a refused request. Never throws, and waits for nothing. */
    note(refused: RefusedRequest): void {
      const at = now();
      add({ ...refused, requests: 1, firstAt: at, lastAt: at });
      const wait = hasFailed ? LONG_WAIT_MILLISECONDS : WAIT_MILLISECONDS;
      stopTimer ??= startTimer(() => void flush(), wait);
    },
    /**
     * An account's refusals of the last 14 days, the latest first, including those that wait in this process.
     */
    async list(accountId: string): Promise<Refusal[]> {
      for (let round = 1;; round++) {
        const last = storing;
        await last;
        const stored = await listRefusals(kv, accountId, now());
        // Refusals of which the storing began meanwhile may be in the answer, or not.
        if (storing !== last && round < MAX_ROUNDS) continue;
        return mergeRefusals([...stored, ...waiting.get(accountId) ?? []]);
      }
    },
    flush,
  };
}
