/**
 * The calls of Airtable's web API in a month, counted for all isolates. Airtable's plans allow a workspace so many
 * calls a month (Free 1,000, Team 100,000), and past them refuse every call until the month ends. Refused calls are
 * counted too, because no document says that Airtable does not.
 */

import { beginAtomic, commitOnce } from "../../platform/kv/write.ts";
import { getEntry } from "../../platform/kv/list.ts";
import type { Log } from "../../platform/log.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";
import { ReadError } from "../store.ts";
import { HOURLY_MILLISECONDS, MAX_LAG_MILLISECONDS, MAX_SKEW_MILLISECONDS } from "../values.ts";

/** The stored count. */
interface StoredCalls {
  /** In UTC, such as `2026-11`. */
  readonly month: string;
  readonly calls: number;
  /** When the first call of the month was counted, in epoch milliseconds. */
  readonly since: number;
  /** The calls that the last whole read of the table took; 0 before the first. */
  readonly pages: number;
  /** Unique to the commit: two isolates may count to the same number at once. */
  readonly commit: string;
}

/** Counts calls before they are sent, so that neither a crash nor another isolate makes one beyond the budget. */
export type CallCounter = ReturnType<typeof createCallCounter>;
/** The calls of a read: some are set aside for it in advance. */
export type ReadCalls = Awaited<ReturnType<CallCounter["beginRead"]>>;

/** The dependencies of the counter. */
interface CallCounterOptions {
  readonly kv: Deno.Kv;
  /** `AIRTABLE_CALLS_PER_MONTH`. */
  readonly budget: number | undefined;
  /** The interval of reads without notifications. */
  readonly refreshSeconds: number;
  /** Whether notifications report changes, so that the table is read hourly. */
  readonly isNotified: boolean;
  readonly now: () => number;
  readonly log: Pick<Log, "warn">;
}

/** The pause after Airtable has reported that the month's calls are used up. */
export const QUOTA_PAUSE_SECONDS = 3_600;
/** The pause after the budget is used up: an operator may raise it at any time, and a look costs no call. */
const BUDGET_PAUSE_SECONDS = MAX_LAG_MILLISECONDS / 1_000;
/** The rest is a reserve: even while calls are spared, they may be used up before the month ends. */
const USABLE_SHARE = 0.95;
/** Reads have to fit the longest month. */
const LONGEST_MONTH_SECONDS = 31 * DAY_MILLISECONDS / 1_000;

const callsKey: Deno.KvKey = ["events", "calls"];

/** Makes the counter. */
export function createCallCounter(options: CallCounterOptions) {
  const { kv, budget = Infinity, now, log } = options;
  let warnedOf = 0;

  /** Changes the count of this month in one commit. */
  async function change(update: (calls: StoredCalls) => StoredCalls): Promise<StoredCalls> {
    const commit = crypto.randomUUID();
    while (true) {
      const entry = await getEntry<StoredCalls>(kv, callsKey);
      const value = { ...update(ofThisMonth(entry.value, now())), commit };
      const operation = beginAtomic(kv).check(entry).set(callsKey, value);
      if ((await commitOnce(kv, operation, callsKey, value)).ok) return value;
    }
  }

  function claim(wanted: (calls: StoredCalls) => number): Promise<StoredCalls> {
    return change((known) => {
      const calls = known.calls + wanted(known);
      if (calls > budget) throw budgetUsedUp(known.calls, budget);
      return { ...known, calls };
    });
  }

  function warn(pages: number): void {
    const advice = adviceOnBudget(pages, budget, options);
    if (advice === null || warnedOf === pages) return;
    warnedOf = pages;
    log.warn(advice, { pages, budget });
  }

  return {
    /** @throws {ReadError} `quota` if the budget of the month is used up. */
    async take(): Promise<void> {
      await claim(() => 1);
    },
    /**
     * Sets the calls of a whole read aside, in one commit.
     *
     * @throws {ReadError} `quota` if the rest of the budget is too small.
     */
    async beginRead() {
      const { month, pages } = await claim(({ pages }) => Math.max(1, pages));
      let left = Math.max(1, pages);
      return {
        /** Takes one, also past those that were set aside. */
        async take(): Promise<void> {
          if (left > 0) left--;
          else await claim(() => 1);
        },
        /**
         * Gives back the unused calls.
         *
         * @param read how many calls a read of the whole table takes; null after a failure.
         */
        async end(read: number | null): Promise<void> {
          if (read !== null) warn(read);
          const isKnown = read === null || read === pages;
          if (left === 0 && isKnown) return;
          await change((known) => ({
            ...known,
            calls: known.month === month ? known.calls - left : known.calls,
            pages: read ?? known.pages,
          }));
          left = 0;
        },
      };
    },
    /** Warns in the log if reads at the configured interval cannot fit the budget; once for each size of the table. */
    async warnOfBudget(): Promise<void> {
      const { value } = await getEntry<StoredCalls>(kv, callsKey);
      if (value !== null) warn(value.pages);
    },
  };
}

/**
 * Whether a smaller part is left of the calls (without a reserve) than of the month, so that they must be spared.
 *
 * @param now epoch milliseconds.
 */
export async function areCallsScarce(
  kv: Deno.Kv,
  budget: number | undefined,
  now: number,
): Promise<boolean> {
  if (budget === undefined) return false;
  const { calls } = ofThisMonth((await getEntry<StoredCalls>(kv, callsKey)).value, now);
  const end = endOfMonth(now);
  const usable = budget * USABLE_SHARE;
  return (usable - calls) / usable < (end - now) / (end - startOfMonth(now));
}

/** The calls of this month, so far and expected. */
export interface CallsOfMonth {
  /** In UTC, such as `2026-11`. */
  readonly month: string;
  readonly calls: number;
  /** `AIRTABLE_CALLS_PER_MONTH`; null if it is not set. */
  readonly budget: number | null;
  /** The expected calls of the whole month. */
  readonly forecast: number;
  /** When the budget will be used up (epoch milliseconds); null if it will last. */
  readonly endsAt: number | null;
  /** The calls that a read of the whole table takes. */
  readonly pages: number;
}

/**
 * The calls of this month; null before the first.
 *
 * @param interval the seconds between two reads.
 * @param now epoch milliseconds.
 */
export async function readCalls(
  kv: Deno.Kv,
  budget: number | undefined,
  interval: number,
  now: number,
): Promise<CallsOfMonth | null> {
  const { value } = await getEntry<StoredCalls>(kv, callsKey);
  if (value === null) return null;
  const { month, calls, pages, since } = ofThisMonth(value, now);
  // Calls besides the regular reads are expected to continue at their rate.
  const observed = now - since < DAY_MILLISECONDS ? 0 : calls / (now - since);
  const rate = Math.max(pages / (interval * 1_000), observed);
  const left = (budget ?? Infinity) - calls;
  const endsAt = now + (rate === 0 ? Infinity : Math.max(0, left) / rate);
  return {
    month,
    calls,
    budget: budget ?? null,
    forecast: Math.round(calls + rate * (endOfMonth(now) - now)),
    endsAt: endsAt < endOfMonth(now) ? Math.round(endsAt) : null,
    pages,
  };
}

/** Why regular reads cannot fit the budget, and what would; null if they can. */
function adviceOnBudget(
  pages: number,
  budget: number,
  { refreshSeconds, isNotified }: Pick<CallCounterOptions, "refreshSeconds" | "isNotified">,
): string | null {
  const hourly = HOURLY_MILLISECONDS / 1_000;
  const seconds = isNotified ? hourly : refreshSeconds;
  const whole = (count: number) => count.toLocaleString("en");
  const neededAt = (interval: number) => Math.ceil(pages * LONGEST_MONTH_SECONDS / interval);
  if (neededAt(seconds) <= budget) return null;
  const calls = pages === 1 ? "one call" : `${pages} calls`;
  const finding = `Reading the table takes ${calls} every ${whole(seconds)} seconds, ` +
    `${whole(neededAt(seconds))} in a month; AIRTABLE_CALLS_PER_MONTH is ${whole(budget)}. `;
  if (isNotified) return `${finding}Choose a plan with more calls, or a view with fewer records.`;
  const fitting = Math.ceil(pages * LONGEST_MONTH_SECONDS / budget);
  if (fitting <= MAX_LAG_MILLISECONDS / 1_000) {
    return `${finding}Set EVENTS_REFRESH_SECONDS to at least ${fitting}.`;
  }
  const notified = neededAt(hourly) <= budget ? "set AIRTABLE_NOTIFICATIONS=on, or " : "";
  return `${finding}It would have to be read every ${whole(fitting)} seconds, ` +
    `but events may be at most five minutes old: ${notified}` +
    "use a plan with more calls, or a view with fewer records.";
}

function budgetUsedUp(calls: number, budget: number): ReadError {
  return new ReadError(
    "quota",
    `the budget of this month is used up: ${calls} calls of AIRTABLE_CALLS_PER_MONTH=${budget}`,
    BUDGET_PAUSE_SECONDS,
  );
}

/** This month's count. A new month begins at 0; another isolate's clock may have begun it already. */
function ofThisMonth(stored: StoredCalls | null, now: number): StoredCalls {
  const [month, next] = [now, now + MAX_SKEW_MILLISECONDS].map(monthOf) as [string, string];
  if (stored?.month === month || stored?.month === next) return stored;
  return { month, calls: 0, since: now, pages: stored?.pages ?? 0, commit: "" };
}

function monthOf(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString().slice(0, 7);
}

function startOfMonth(now: number, later = 0): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
}

function endOfMonth(now: number): number {
  return startOfMonth(now, 1);
}
