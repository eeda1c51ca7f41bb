/**
 * The calls of Airtable's web API in a month, counted for all isolates. Airtable's plans allow a workspace so many
 * calls a month (Free 1,000, Team 100,000), and past them refuse every call until the month ends. Refused calls are
 * counted too, because no document says that Airtable does not.
 */

import { beginAtomic, commitOnce } from "../../platform/kv/write.ts";
import { getEntry } from "../../platform/kv/list.ts";
import type { Log } from "../../platform/log.ts";
import type { Platform } from "../../platform/platform.ts";
import { grouped } from "../../platform/text.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";
import { ReadError } from "../reading/record_store.ts";
import { HOURLY_MILLISECONDS, MAX_AGE_MILLISECONDS, MAX_LAG_MILLISECONDS } from "../values.ts";

/** The stored calls of a month. */
interface CallsOfMonth {
  /** In UTC, such as `2026-11`. */
  readonly month: string;
  readonly calls: number;
  /** The calls that a read of the whole table takes; 0 before the first. */
  readonly pages: number;
  /** Unique to the commit: two isolates may count to the same number at once. */
  readonly commit: string;
}

/** Counts calls before they are sent, so that neither a crash nor another isolate makes one beyond the budget. */
export type CallCounter = ReturnType<typeof createCallCounter>;

interface CallCounterOptions extends Pick<Platform, "kv" | "now"> {
  /** `AIRTABLE_CALLS_PER_MONTH`. */
  readonly budget: number | undefined;
  /** Whether notifications report changes, so that the table is read hourly. */
  readonly isNotified: boolean;
  readonly log: Pick<Log, "warn">;
}

/** The pause after Airtable has reported that the month's calls are used up. */
export const QUOTA_PAUSE_SECONDS = 3_600;
/** The pause after the budget is used up: an operator may raise it at any time, and a look costs no call. */
const BUDGET_PAUSE_SECONDS = MAX_LAG_MILLISECONDS / 1_000;
/** Reads have to fit the longest month. */
const LONGEST_MONTH_SECONDS = 31 * DAY_MILLISECONDS / 1_000;

const callsKey: Deno.KvKey = ["events", "calls"];

/** Makes the counter. */
export function createCallCounter(options: CallCounterOptions) {
  const { kv, budget = Infinity, now, log } = options;
  let warnedOf = 0;
  let knownPages = 0;

  /** Changes the count of this month in one commit. */
  async function change(update: (calls: CallsOfMonth) => CallsOfMonth): Promise<CallsOfMonth> {
    const commit = crypto.randomUUID();
    while (true) {
      const entry = await getEntry<CallsOfMonth>(kv, callsKey);
      const value = { ...update(ofThisMonth(entry.value, now())), commit };
      const operation = beginAtomic(kv).check(entry).set(callsKey, value);
      if ((await commitOnce(kv, operation, callsKey, value)).ok) return value;
    }
  }

  return {
    /**
     * Counts a call before it is made.
     *
     * @throws {ReadError} `quota` if the budget of the month is used up.
     */
    async take(): Promise<void> {
      const { pages } = await change((known) => {
        const { calls } = known;
        if (calls < budget) return { ...known, calls: calls + 1 };
        const reason = `the budget of this month is used up: ${calls} calls of ` +
          `AIRTABLE_CALLS_PER_MONTH=${budget}`;
        throw new ReadError("quota", reason, BUDGET_PAUSE_SECONDS);
      });
      knownPages = pages;
    },
    /**
     * Remembers how many calls a read of the whole table takes, by which reads are planned. Warns in the log if the
     * budget does not suffice for them; once for each size of the table.
     */
    async learn(pages: number): Promise<void> {
      const advice = adviceOnBudget(pages, budget, options.isNotified);
      if (advice !== null && warnedOf !== pages) {
        warnedOf = pages;
        log.warn(advice, { pages, budget });
      }
      if (pages !== knownPages) await change((known) => ({ ...known, pages }));
    },
  };
}

/** The calls of this month; null before the first. @param now epoch milliseconds. */
export async function readCalls(kv: Deno.Kv, now: number): Promise<CallsOfMonth | null> {
  const { value } = await getEntry<CallsOfMonth>(kv, callsKey);
  return value && ofThisMonth(value, now);
}

/**
 * The shortest interval of whole reads, in milliseconds, at which the calls that are left suffice for the rest of the
 * month; 0 without a budget, or before the first read.
 *
 * @param now epoch milliseconds.
 */
export async function readMinIntervalForQuota(
  kv: Deno.Kv,
  budget: number | undefined,
  now: number,
): Promise<number> {
  const known = budget === undefined ? null : await readCalls(kv, now);
  if (budget === undefined || known === null) return 0;
  const date = new Date(now);
  const monthEndsAt = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
  return known.pages * (monthEndsAt - now) / Math.max(1, budget - known.calls);
}

/** Why regular reads cannot fit the budget, and what would; null if they can. */
function adviceOnBudget(pages: number, budget: number, isNotified: boolean): string | null {
  const hourly = HOURLY_MILLISECONDS / 1_000;
  const seconds = isNotified ? hourly : MAX_AGE_MILLISECONDS / 1_000;
  const neededAt = (interval: number) => Math.ceil(pages * LONGEST_MONTH_SECONDS / interval);
  if (neededAt(seconds) <= budget) return null;
  const calls = pages === 1 ? "one call" : `${pages} calls`;
  const notified = !isNotified && neededAt(hourly) <= budget
    ? "Set AIRTABLE_NOTIFICATIONS=on, or choose"
    : "Choose";
  return `Reading the table takes ${calls} every ${grouped(seconds)} seconds, ` +
    `${grouped(neededAt(seconds))} in a month; AIRTABLE_CALLS_PER_MONTH is ${grouped(budget)}. ` +
    `${notified} a plan with more calls, or a view with fewer records. ` +
    "Once the calls are used up, the events API answers 502 until the month ends.";
}

/** This month's count, in UTC: a new month begins at 0. */
function ofThisMonth(stored: CallsOfMonth | null, now: number): CallsOfMonth {
  const month = new Date(now).toISOString().slice(0, 7);
  if (stored?.month === month) return stored;
  return { month, calls: 0, pages: stored?.pages ?? 0, commit: "" };
}
