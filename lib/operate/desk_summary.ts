/**
 * The desk's figures of all accounts together: one stored value, for all processes. Up to a thousand accounts are
 * counted at each visit. Above that, an operator sees the last count and its time at once, and a process makes the next
 * one after the response.
 */

import { accountState, dailyLimitOf, listAccounts } from "../accounts/account.ts";
import { dayBefore, dayOf, daysUntil } from "../platform/utc_days.ts";
import { listAccountDays } from "../proxy/ledger/read.ts";
import type { DaySums } from "../proxy/ledger/values.ts";
import { countRefusals } from "../proxy/records/refusals.ts";
import type { Config } from "../platform/config/config.ts";
import { getEntry } from "../platform/kv/list.ts";
import { setEntry } from "../platform/kv/write.ts";
import type { Log } from "../platform/log.ts";
import { isNearLimit } from "../platform/money.ts";
import type { Platform } from "../platform/platform.ts";
import { DAY_MILLISECONDS } from "../platform/time.ts";

/** The desk's summary. It names accounts by their ids. */
export type DeskSummary = Awaited<ReturnType<typeof buildDeskSummary>>;

/** A value that can be made again carries the version of its form. */
const KEY: Deno.KvKey = ["overview", 3];
const KEPT_MILLISECONDS = 5 * 60_000;
/** Up to this number, the accounts are read in a few milliseconds; 100,000 take a second or two. */
export const FEW_ACCOUNTS = 1_000;
/** How long a count behind a response waits, so that it does not slow the response itself. */
const PAUSE_MILLISECONDS = 500;
/** The most accounts that a list names: a value of KV holds 64 KB, and an id takes eighteen bytes of it. */
export const LISTED_ACCOUNTS = 500;
const REASONS = 12;
const SUSPECTS = 50;

/** Creates the functions that read and make the desk's summary. */
export function createDeskSummary(
  { kv, config, now, sleep, log }: Pick<Platform, "kv" | "now" | "sleep"> & {
    readonly config: Config;
    readonly log: Pick<Log, "warn">;
  },
) {
  let making: Promise<DeskSummary> | null = null;

  async function read(): Promise<DeskSummary | null> {
    return (await getEntry<DeskSummary>(kv, KEY)).value;
  }

  async function build(pause: number): Promise<DeskSummary> {
    if (pause > 0) await sleep(pause);
    const deskSummary = await buildDeskSummary(kv, config, now());
    await setEntry(kv, KEY, deskSummary);
    return deskSummary;
  }

  function make(pause = 0): Promise<DeskSummary> {
    making ??= build(pause).finally(() => making = null);
    return making;
  }

  const isYounger = ({ at }: DeskSummary, milliseconds: number) =>
    Math.abs(now() - at) < milliseconds;

  return {
    /**
     * A new summary if there are few accounts, otherwise the last one. If that one is older than five minutes, the next
     * one is made after the response.
     */
    async get(): Promise<DeskSummary> {
      const last = await read();
      if (last === null || last.accounts <= FEW_ACCOUNTS) return await make();
      if (!isYounger(last, KEPT_MILLISECONDS)) {
        make(PAUSE_MILLISECONDS)
          .catch((cause) => log.warn("The accounts could not be counted.", { cause }));
      }
      return last;
    },
    /** Makes the first summary, and then one a day, so that after a quiet week an operator sees yesterday's. */
    async keep(): Promise<void> {
      const last = await read();
      if (last === null || !isYounger(last, DAY_MILLISECONDS)) await make();
    },
  };
}

/** Suspect costs are shown for a week, so that a weekend hides none. */
const SUSPECT_DAYS = 7;

/**
 * The sums since midnight UTC, of each account and of all. For each account and recent day, also the number of requests
 * with a suspect cost (`lib/proxy/ledger/ledger.ts`).
 */
export async function readSpending(kv: Deno.Kv, today: string) {
  const total = { spent: 0n, reserved: 0n, requests: 0 };
  const sumsOf = new Map<string, DaySums>();
  const suspectCosts: { accountId: string; day: string; requests: number }[] = [];
  for (const day of daysUntil(today, SUSPECT_DAYS)) {
    for await (const accounts of listAccountDays(kv, day)) {
      for (const { accountId, sums } of accounts) {
        const { suspectCosts: requests = 0 } = sums;
        if (requests > 0) suspectCosts.push({ accountId, day, requests });
        if (day !== today) continue;
        sumsOf.set(accountId, sums);
        total.spent += sums.spent;
        total.reserved += sums.reserved;
        total.requests += sums.requests;
      }
    }
  }
  return { today: total, sumsOf, suspectCosts };
}

async function buildDeskSummary(kv: Deno.Kv, config: Config, at: number) {
  const day = dayOf(at);
  const { today, sumsOf, suspectCosts } = await readSpending(kv, day);
  const spenders: { readonly id: string; readonly spent: number; readonly part: number }[] = [];
  const ids = { banned: [] as string[], unverified: [] as string[] };
  let accounts = 0;
  for await (const account of listAccounts(kv)) {
    const state = accountState(account);
    if (state === "deleted") continue;
    accounts++;
    const { id } = account;
    if (state === "banned" || state === "unverified") ids[state].push(id);
    const sums = sumsOf.get(id);
    if (sums === undefined) continue;
    const used = Number(sums.spent + sums.reserved);
    const limit = Number(dailyLimitOf(account, config.DAILY_LIMIT_USD, at));
    spenders.push({ id, spent: Number(sums.spent), part: limit === 0 ? Infinity : used / limit });
  }
  const listed = (all: readonly string[]) => ({
    count: all.length,
    ids: all.slice(0, LISTED_ACCOUNTS),
  });
  const idsOf = (some: typeof spenders) => listed(some.map(({ id }) => id));
  return {
    /** When it was begun (epoch milliseconds), and the UTC day of its amounts. */
    ...{ at, day },
    /** Accounts that are not deleted, and the sums of all accounts. */
    ...{ accounts, ...today },
    suspectCosts: suspectCosts.slice(0, SUSPECTS),
    /**
     * For each state the number of accounts, and the ids of the first ones. The largest spenders and the fullest accounts
     * come first.
     */
    lists: {
      spenders: idsOf(
        spenders.filter(({ spent }) => spent > 0).sort((a, b) => b.spent - a.spent),
      ),
      near: idsOf(
        spenders.filter(({ part }) => isNearLimit(part, 1)).sort((a, b) => b.part - a.part),
      ),
      banned: listed(ids.banned),
      unverified: listed(ids.unverified),
    },
    refusals: await countReasons(kv, day, at),
  };
}

/**
 * Counts the refused requests by reason: of the last seven days, of today, and of the seven days before. The most
 * frequent reason comes first, each with the account that has the most requests of the last seven days.
 */
async function countReasons(kv: Deno.Kv, day: string, now: number) {
  const count = (first: number, last: number) => {
    const [from, to] = [dayBefore(day, first), dayBefore(day, last)];
    return countRefusals(kv, { from, to, accountId: null, by: "account" }, now);
  };
  const week = await count(6, 0);
  const today = await count(0, 0);
  const before = await count(13, 7);
  const byReason = Map.groupBy(week, ({ code, reason }) => `${code} ${reason}`);
  // Within a reason, the account with the most requests comes first.
  return [...byReason.values()].flatMap((ofReason) => {
    const [first] = ofReason;
    if (first === undefined) return [];
    const { code, reason, key: accountId } = first;
    const sumOf = (counts: typeof week) =>
      counts.filter((each) => each.code === code && each.reason === reason)
        .reduce((sum, { requests }) => sum + requests, 0);
    const sums = { requests: sumOf(week), today: sumOf(today), weekBefore: sumOf(before) };
    return [{ code, reason, ...sums, accounts: ofReason.length, accountId }];
  }).sort((a, b) => b.requests - a.requests).slice(0, REASONS);
}
