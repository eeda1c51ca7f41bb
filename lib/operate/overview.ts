/**
 * The overview of all accounts that the desk shows: too many values to read for each page, so a job makes it, every
 * five minutes while there are requests or an operator looks. It names accounts by their ids alone.
 */

import {
  accountState,
  countRefusals,
  dailyLimitOf,
  dayOf,
  type DaySums,
  listAccountDays,
  listAccounts,
} from "../proxy/mod.ts";
import type { Config } from "../platform/config/config.ts";
import { getEntry } from "../platform/kv/list.ts";
import { setEntry } from "../platform/kv/write.ts";
import type { NanoUsd } from "../platform/money.ts";

/** What an account has spent and reserved today, and its limit. */
interface Spender {
  readonly accountId: string;
  readonly spent: NanoUsd;
  readonly reserved: NanoUsd;
  readonly limit: NanoUsd;
}

/** Some of the accounts in a state, and how many there are. */
interface Some {
  readonly count: number;
  readonly ids: readonly string[];
}

/** The overview. */
export interface Overview {
  /** When it was begun (epoch milliseconds), and the UTC day of its amounts. */
  readonly at: number;
  readonly day: string;
  /** Accounts that are not deleted. */
  readonly accounts: number;
  readonly requests: number;
  readonly spent: NanoUsd;
  readonly reserved: NanoUsd;
  /** Those that spent the most, the highest first. */
  readonly spenders: readonly Spender[];
  /** Those that have used four fifths of their limit, the fullest first, and how many there are. */
  readonly near: { readonly count: number; readonly spenders: readonly Spender[] };
  readonly banned: Some;
  readonly unverified: Some;
  /** Today's refused requests by reason, the most frequent first, with the account that has the most of them. */
  readonly refusals: readonly {
    readonly code: string;
    readonly reason: string | null;
    readonly requests: number;
    readonly accounts: number;
    readonly accountId: string | null;
  }[];
}

const overviewKey: Deno.KvKey = ["overview"];
const SPENDERS = 10;
/** As many as a page of accounts has; the value stays far below KV's 64 KiB. */
const LISTED = 50;
const REASONS = 12;
/** The cron runs every five minutes, and a little earlier or later. */
const FRESH_MILLISECONDS = 4 * 60_000;

/** Makes the functions about the overview. */
export function createOverview({ kv, config, now }: {
  readonly kv: Deno.Kv;
  readonly config: Config;
  readonly now: () => number;
}) {
  let isWanted = false;

  async function make(): Promise<Overview> {
    isWanted = false;
    const overview = await buildOverview(kv, config, now());
    await setEntry(kv, overviewKey, overview);
    return overview;
  }

  const read = async () => (await getEntry<Overview>(kv, overviewKey)).value;
  const isFresh = ({ at }: Overview) => Math.abs(now() - at) < FRESH_MILLISECONDS;

  return {
    /** Whether an operator has looked at an overview that was not fresh. */
    isWanted: () => isWanted,
    /** The last overview. The first is made at once; one that is not fresh is made again by the job. */
    async get(): Promise<Overview> {
      const overview = await read() ?? await make();
      isWanted ||= !isFresh(overview);
      return overview;
    },
    /** Makes the overview, unless it is fresh or there is no operator to look at it. */
    async update(): Promise<void> {
      if (config.SIGN_IN_OPERATORS.text === "") return;
      const overview = await read();
      if (overview === null || !isFresh(overview)) await make();
    },
  };
}

async function buildOverview(kv: Deno.Kv, config: Config, at: number): Promise<Overview> {
  const day = dayOf(at);
  const sumsOf = new Map<string, DaySums>();
  const total = { requests: 0, spent: 0n, reserved: 0n };
  for await (const batch of listAccountDays(kv, day)) {
    for (const { accountId, sums } of batch) {
      sumsOf.set(accountId, sums);
      total.requests += sums.requests;
      total.spent += sums.spent;
      total.reserved += sums.reserved;
    }
  }
  const spenders: Spender[] = [];
  const ids = { banned: [] as string[], unverified: [] as string[] };
  let accounts = 0;
  for await (const account of listAccounts(kv)) {
    if (account.deletedAt !== undefined) continue;
    accounts++;
    const { id } = account;
    const state = accountState(account);
    if (state === "banned" || state === "unverified") ids[state].push(id);
    const sums = sumsOf.get(id);
    if (sums === undefined) continue;
    const { spent, reserved } = sums;
    const limit = dailyLimitOf(account, config.DAILY_LIMIT_USD, at);
    spenders.push({ accountId: id, spent, reserved, limit });
  }
  const near = spenders.filter(({ spent, reserved, limit }) =>
    5n * (spent + reserved) >= 4n * limit
  );
  return {
    ...{ at, day, accounts, ...total },
    spenders: spenders.filter(({ spent }) => spent > 0n)
      .sort((a, b) => Number(b.spent - a.spent)).slice(0, SPENDERS),
    near: {
      count: near.length,
      spenders: near.sort((a, b) => partOf(b) - partOf(a)).slice(0, LISTED),
    },
    banned: someOf(ids.banned),
    unverified: someOf(ids.unverified),
    refusals: await countReasons(kv, day, at),
  };
}

/** The part of a limit that is used. */
function partOf({ spent, reserved, limit }: Spender): number {
  return limit === 0n ? Infinity : Number(spent + reserved) / Number(limit);
}

function someOf(ids: readonly string[]): Some {
  return { count: ids.length, ids: ids.slice(0, LISTED) };
}

async function countReasons(kv: Deno.Kv, day: string, now: number): Promise<Overview["refusals"]> {
  const counts = await countRefusals(
    kv,
    { from: day, to: day, accountId: null, by: "account" },
    now,
  );
  const byReason = Map.groupBy(counts, ({ code, reason }) => `${code} ${reason}`);
  // Within a reason, the account with the most requests comes first.
  return [...byReason.values()].flatMap((ofReason) => {
    const [first] = ofReason;
    if (first === undefined) return [];
    const { code, reason, key: accountId } = first;
    const requests = ofReason.reduce((sum, each) => sum + each.requests, 0);
    return [{ code, reason, requests, accounts: ofReason.length, accountId }];
  }).sort((a, b) => b.requests - a.requests).slice(0, REASONS);
}
