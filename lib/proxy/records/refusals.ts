/**
 * Stored refusals: one value for each account and day. A process collects refusals in memory and stores them every few
 * seconds, so that a flood of refused requests costs next to nothing; one that is killed loses those that it has not
 * stored.
 */

import { dayBefore, dayOf, daysUntil } from "../../platform/utc_days.ts";
import { daysFrom } from "../ledger/retention.ts";
import { beginAtomic, commit } from "../../platform/kv/write.ts";
import { getEntries, getEntry, listEntries } from "../../platform/kv/list.ts";
import type { Log } from "../../platform/log.ts";
import type { Platform } from "../../platform/platform.ts";
import { createSemaphore } from "../../platform/semaphore.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";
import { startRealTimer, type StartTimer } from "../../platform/timeout.ts";
import type { Grouping, Question, RefusalCount } from "./question.ts";
import {
  addRefusal,
  type Refusal,
  REFUSAL_DAYS,
  type RefusedRequest,
  statusOfCode,
} from "./refusal.ts";

/** The value of an account and a day. */
interface Stored {
  readonly list: readonly Refusal[];
}

const dayPrefix = (day: string): Deno.KvKey => ["refusals", day];
const refusalsKey = (day: string, accountId: string): Deno.KvKey => [...dayPrefix(day), accountId];

/** The whole kinds of a value, which holds 65,536 bytes; each takes about 300. */
export const MAX_KINDS_PER_DAY = 100;
/** A value is read until the end of the 14th day after its own. One more day allows for clocks that differ. */
const LIFETIME = { expireIn: (REFUSAL_DAYS + 2) * DAY_MILLISECONDS };
const WAIT_MILLISECONDS = 5_000;
/** After a failure of the database. */
const LONG_WAIT_MILLISECONDS = 60_000;
/** The whole kinds that wait in memory: about a megabyte. */
const MAX_WAITING = 2_000;

/** Records refusals. */
export type RefusalRecorder = ReturnType<typeof createRefusalRecorder>;

/** Creates the recorder of a process. */
export function createRefusalRecorder(
  { kv, now, log, startTimer = startRealTimer }: Pick<Platform, "kv" | "now"> & {
    readonly log: Pick<Log, "warn">;
    readonly startTimer?: StartTimer;
  },
) {
  let waiting = new Map<string, Refusal>();
  let hasFailed = false;
  let stopTimer: (() => void) | null = null;
  let storing = Promise.resolve();

  const add = (refusal: Refusal) => addRefusal(waiting, refusal, MAX_WAITING);

  async function storeNoted(): Promise<void> {
    const noted = [...waiting.values()];
    waiting = new Map();
    const failures = await storeRefusals(kv, noted);
    hasFailed = failures.length > 0;
    for (const { refusals } of failures) refusals.forEach(add);
    const [{ cause } = {}] = failures;
    if (hasFailed) log.warn("Refusals could not be stored yet.", { cause });
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
      add({ ...refused, requests: 1, lastAt: now() });
      const wait = hasFailed ? LONG_WAIT_MILLISECONDS : WAIT_MILLISECONDS;
      stopTimer ??= startTimer(() => void flush(), wait);
    },
    /** An account's refusals of the last 14 days, the latest first, with those that this process has noted. */
    async list(accountId: string): Promise<Refusal[]> {
      await flush();
      return await listRefusals(kv, accountId, now());
    },
    flush,
  };
}

/** The values that are stored at a time, beside the bookings of requests. */
const AT_ONCE = 10;

/** Stores refusals, and returns those that could not be, with the reasons. Stored again, they count again. */
export async function storeRefusals(kv: Deno.Kv, refusals: readonly Refusal[]) {
  const values = Map.groupBy(refusals, ({ accountId, lastAt }) => `${dayOf(lastAt)} ${accountId}`);
  const inTurn = createSemaphore(AT_ONCE);
  const results = await Promise.all([...values].map(async ([name, refusals]) => {
    const [day = "", accountId = ""] = name.split(" ");
    try {
      await inTurn(() => addTo(kv, refusalsKey(day, accountId), refusals));
      return [];
    } catch (cause) {
      return [{ refusals, cause }];
    }
  }));
  return results.flat();
}

async function addTo(kv: Deno.Kv, key: Deno.KvKey, refusals: readonly Refusal[]): Promise<void> {
  for (;;) {
    const entry = await getEntry<Stored>(kv, key);
    const kinds = new Map<string, Refusal>();
    for (const each of [...entry.value?.list ?? [], ...refusals]) {
      addRefusal(kinds, each, MAX_KINDS_PER_DAY);
    }
    const stored: Stored = { list: [...kinds.values()] };
    const operation = beginAtomic(kv).check(entry).set(key, stored, LIFETIME);
    if ((await commit(operation)).ok) return;
  }
}

/** An account's stored refusals of the last 14 days. */
export async function listRefusals(
  kv: Deno.Kv,
  accountId: string,
  now: number,
): Promise<Refusal[]> {
  return await listDays(kv, accountId, daysUntil(dayOf(now), REFUSAL_DAYS + 1));
}

async function listDays(
  kv: Deno.Kv,
  accountId: string,
  days: readonly string[],
): Promise<Refusal[]> {
  const entries = await getEntries<Stored>(kv, days.map((day) => refusalsKey(day, accountId)));
  return entries.flatMap(({ value }) => value?.list ?? []).sort((a, b) => b.lastAt - a.lastAt);
}

/** The key of a refusal's group. Refusals name no model. */
const KEYS = {
  account: ({ accountId }) => accountId,
  endpoint: ({ endpoint }) => endpoint,
  key: ({ keyId }) => keyId,
  day: ({ lastAt }) => dayOf(lastAt),
  status: ({ code }) => statusOfCode(code),
  model: () => null,
} satisfies Record<Grouping, (refusal: Refusal) => string | null>;

/** Counts the refused requests of the last 14 days, the most frequent first, and equally frequent ones by their names. */
export async function countRefusals(
  kv: Deno.Kv,
  { from, to, accountId, by }: Question,
  now: number,
): Promise<RefusalCount[]> {
  const first = dayBefore(dayOf(now), REFUSAL_DAYS);
  const days = daysFrom(from < first ? first : from, to);
  const sums = new Map<string, RefusalCount>();
  for await (
    const refusal of accountId === null ? listAll(kv, days) : await listDays(kv, accountId, days)
  ) {
    const { code, reason, requests } = refusal;
    const key = KEYS[by](refusal);
    const name = `${key} ${code} ${reason}`;
    sums.set(name, { key, code, reason, requests: requests + (sums.get(name)?.requests ?? 0) });
  }
  return [...sums].sort(([a, { requests: ofA }], [b, { requests: ofB }]) =>
    ofB - ofA || (a < b ? -1 : 1)
  ).map(([, sum]) => sum);
}

async function* listAll(kv: Deno.Kv, days: readonly string[]): AsyncGenerator<Refusal> {
  for (const day of days) {
    for await (const { value } of listEntries<Stored>(kv, dayPrefix(day))) yield* value.list;
  }
}
