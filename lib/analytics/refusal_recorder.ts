/**
 * Collects refusals in memory and stores them every few seconds, so that a flood of refused requests costs next to
 * nothing. A process that is killed loses those that it has not stored.
 */

import { countLostRefusals, type Log } from "../telemetry/mod.ts";
import {
  addRefusal,
  kindOf,
  mergeRefusals,
  onlyCode,
  type Refusal,
  type RefusedRequest,
} from "./refusal.ts";
import { startRealTimer, type StartTimer } from "../timeout.ts";
import type { UsageStore } from "./store.ts";

/** Records refusals. */
export interface RefusalRecorder {
  /** Notes a refused request. Never throws, and waits for nothing. */
  note(refused: RefusedRequest): void;
  /**
   * An account's refusals of the last 14 days, the latest first, including those that wait in this process.
   *
   * @throws {StoreError} if the store fails.
   */
  list(accountId: string): Promise<Refusal[]>;
  /** Stores the noted refusals. Never rejects: after a failure they wait for the next refusal. */
  flush(): Promise<void>;
}

const WAIT_MILLISECONDS = 5_000;
/** After a failure of the store. */
const LONG_WAIT_MILLISECONDS = 60_000;
/** The number of accounts with waiting refusals. Together with MAX_KINDS it limits the memory to some megabytes. */
const MAX_ACCOUNTS = 1_000;
/** The number of an account's waiting kinds; further ones wait with their codes only. */
export const MAX_KINDS = 20;

/** Creates the recorder of a process. */
export function createRefusalRecorder({ store, now, log, startTimer = startRealTimer }: {
  readonly store: Pick<UsageStore, "insertRefusals" | "listRefusals">;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Pick<Log, "warn">;
  readonly startTimer?: StartTimer;
}): RefusalRecorder {
  /** By account, then by kind. */
  let waiting = new Map<string, Map<string, Refusal>>();
  let lost = 0;
  let hasFailed = false;
  let stopTimer: (() => void) | null = null;
  let storing = Promise.resolve();

  function add(refusal: Refusal): void {
    const { accountId, keyId, code, requests } = refusal;
    const known = waiting.get(accountId) ?? new Map<string, Refusal>();
    if (!waiting.has(accountId)) {
      if (waiting.size === MAX_ACCOUNTS) {
        lost += requests;
        return countLostRefusals(requests);
      }
      waiting.set(accountId, known);
    }
    const kind = kindOf(refusal);
    const isWhole = keyId !== null && (known.size < MAX_KINDS || known.has(kind));
    if (isWhole) addRefusal(known, kind, refusal);
    else addRefusal(known, code, onlyCode(refusal));
  }

  async function storeNoted(): Promise<void> {
    const refusals = [...waiting.values()].flatMap((kinds) => [...kinds.values()]);
    waiting = new Map();
    if (refusals.length === 0) return;
    try {
      await store.insertRefusals(refusals);
      hasFailed = false;
    } catch (cause) {
      hasFailed = true;
      log.warn("Refusals could not be stored yet.", { cause });
      refusals.forEach(add);
    }
    if (lost > 0) log.warn("Refusals of too many accounts came at once.", { notRecorded: lost });
    lost = 0;
  }

  function flush(): Promise<void> {
    stopTimer?.();
    stopTimer = null;
    return storing = storing.then(storeNoted);
  }

  return {
    note(refused) {
      const at = now();
      add({ ...refused, requests: 1, firstAt: at, lastAt: at });
      const wait = hasFailed ? LONG_WAIT_MILLISECONDS : WAIT_MILLISECONDS;
      stopTimer ??= startTimer(() => void flush(), wait);
    },
    async list(accountId) {
      const stored = await store.listRefusals(accountId);
      return mergeRefusals([...stored, ...waiting.get(accountId)?.values() ?? []]);
    },
    flush,
  };
}
