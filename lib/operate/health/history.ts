/**
 * The results of the checks on each of the last 90 days: one small value per UTC day, to which each run of
 * the checks adds its outcome. An outcome that cannot be written waits in memory for the next run.
 */

import { dayBefore, dayOf, daysUntil } from "../../platform/utc_days.ts";
import { beginAtomic, commitOnce } from "../../platform/kv/write.ts";
import { type Entry, getEntries, listEntries } from "../../platform/kv/list.ts";
import type { Log } from "../../platform/log.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";

/** The checks that decide between up and down, by the names of the health record. */
export const CHECK_NAMES = ["database", "analytics", "router", "ocr", "websearch"] as const;
/** One of {@linkcode CHECK_NAMES}. */
export type CheckName = typeof CHECK_NAMES[number];
/** The checks and the events, each with a history. The health record of `/up` has no field for the events. */
export const WATCHED_NAMES = ["events", ...CHECK_NAMES] as const;
/** One of {@linkcode WATCHED_NAMES}. */
export type WatchedName = typeof WATCHED_NAMES[number];

/** How many days are kept, today among them. */
const HISTORY_DAYS = 90;

/**
 * How long a day of the history lives, in milliseconds from its last change. It is shown for 90 days; the rest allows
 * for clocks that differ.
 */
export const HISTORY_MILLISECONDS = (HISTORY_DAYS + 10) * DAY_MILLISECONDS;

/** The outcome of one run of the checks. */
interface Outcome {
  /** Epoch milliseconds at which the run began. */
  readonly at: number;
  /**
   * A check that did not run is absent. `events`: whether the last read of the record store succeeded; absent without
   * a store, or before the first read.
   */
  readonly isUp: Readonly<Partial<Record<WatchedName, boolean>>>;
}

/** A check's day; times are epoch milliseconds. */
interface CheckDay {
  readonly runs: number;
  readonly failed: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Since when every run has failed, on earlier days as well; null if the last run did not. */
  readonly failingSince: number | null;
}

/** A day of all checks; a check that did not run on that day has no entry. */
type HealthDay = Readonly<Partial<Record<WatchedName, CheckDay>>>;

const PREFIX: Deno.KvKey = ["health_day"];
const dayKey = (day: string): Deno.KvKey => [...PREFIX, day];
/** Outcomes that wait in memory: about half an hour of them. */
const MAX_WAITING = 60;
/** The number of attempts: only a few isolates ever write at once. */
const MAX_ATTEMPTS = 10;

/**
 * Makes the function that stores an outcome, and those that wait. It resolves to false if that failed: the outcome then
 * waits for the next call, as one of a database that is down.
 */
export function createHistoryWriter(
  { kv, log }: { readonly kv: Deno.Kv; readonly log: Pick<Log, "warn"> },
): (outcome: Outcome) => Promise<boolean> {
  let waiting: readonly Outcome[] = [];

  return async function writeHistory(outcome) {
    const writing = [...waiting, outcome].slice(-MAX_WAITING);
    waiting = [];
    for (const [day, outcomes] of Map.groupBy(writing, ({ at }) => dayOf(at))) {
      try {
        await addToDay(kv, day, outcomes);
      } catch (cause) {
        const failed = { at: outcome.at, isUp: { ...outcome.isUp, database: false } };
        waiting = [...waiting, ...outcomes.map((each) => each === outcome ? failed : each)];
        log.warn("The health history could not be written. The next run tries again.", { cause });
      }
    }
    return waiting.length === 0;
  };
}

/** The days of the last 90 that have outcomes, by their dates. */
export async function readHistory(
  kv: Deno.Kv,
  now: number,
): Promise<ReadonlyMap<string, HealthDay>> {
  const wanted = new Set(historyDays(now));
  const found = new Map<string, HealthDay>();
  // Older days may still be stored.
  for await (const { key, value } of listEntries<HealthDay>(kv, PREFIX)) {
    const day = String(key[1]);
    if (wanted.has(day)) found.set(day, value);
  }
  return found;
}

/** The dates of the last 90 days, the latest first. */
export function historyDays(now: number): readonly string[] {
  return daysUntil(dayOf(now), HISTORY_DAYS);
}

async function addToDay(kv: Deno.Kv, day: string, outcomes: readonly Outcome[]): Promise<void> {
  const before = dayBefore(day, 1);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    // Two keys give two entries.
    const [known, yesterday] = await getEntries<HealthDay>(kv, [dayKey(day), dayKey(before)]) as [
      Entry<HealthDay>,
      Entry<HealthDay>,
    ];
    const folded = outcomes.reduce(
      (sum, outcome) => fold(sum, outcome, yesterday.value),
      known.value ?? {},
    );
    const operation = beginAtomic(kv).check(known).set(dayKey(day), folded, {
      expireIn: HISTORY_MILLISECONDS,
    });
    if ((await commitOnce(kv, operation, dayKey(day), folded)).ok) return;
  }
  throw new Error(`too many processes write the health of ${day} at once`);
}

/** A day with one more outcome. */
function fold(day: HealthDay, { at, isUp }: Outcome, yesterday: HealthDay | null): HealthDay {
  const found = WATCHED_NAMES.filter((name) => isUp[name] !== undefined);
  const entries = found.map((name): [WatchedName, CheckDay] => {
    const known = day[name];
    const since = (known ?? yesterday?.[name])?.failingSince ?? at;
    return [name, {
      runs: (known?.runs ?? 0) + 1,
      failed: (known?.failed ?? 0) + (isUp[name] ? 0 : 1),
      firstAt: Math.min(known?.firstAt ?? at, at),
      lastAt: Math.max(known?.lastAt ?? at, at),
      failingSince: isUp[name] ? null : since,
    }];
  });
  return { ...day, ...Object.fromEntries(entries) };
}
