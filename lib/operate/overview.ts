/** What the desk shows of all accounts together. */

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

/** The overview. It names accounts by their ids. */
export type Overview = Awaited<ReturnType<typeof buildOverview>>;

/** Reading 100,000 accounts takes a second or two. */
const KEPT_MILLISECONDS = 60_000;
const REASONS = 12;

interface Sources {
  readonly kv: Deno.Kv;
  readonly config: Config;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** A function that reads the overview, and keeps it in memory for a minute. */
export function createOverview({ kv, config, now }: Sources): () => Promise<Overview> {
  let last: { readonly at: number; readonly overview: Promise<Overview> } | null = null;
  return function getOverview() {
    if (last !== null && Math.abs(now() - last.at) < KEPT_MILLISECONDS) return last.overview;
    const at = now();
    const overview = buildOverview(kv, config, at);
    last = { at, overview };
    overview.catch(() => last = null);
    return overview;
  };
}

async function buildOverview(kv: Deno.Kv, config: Config, at: number) {
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
  const idsOf = (some: typeof spenders) => some.map(({ id }) => id);
  return {
    /** When it was begun (epoch milliseconds), and the UTC day of its amounts. */
    ...{ at, day },
    /** Accounts that are not deleted, and the sums of all accounts. */
    ...{ accounts, ...total },
    /** The ids of accounts in a state: the largest spenders and the fullest ones first. */
    lists: {
      spenders: idsOf(
        spenders.filter(({ spent }) => spent > 0).sort((a, b) => b.spent - a.spent),
      ),
      /** Those that have used four fifths of their limit. */
      near: idsOf(spenders.filter(({ part }) => part >= 0.8).sort((a, b) => b.part - a.part)),
      ...ids,
    },
    refusals: await countReasons(kv, day, at),
  };
}

/** Today's refused requests by reason, the most frequent first, with the account that has the most of them. */
async function countReasons(kv: Deno.Kv, day: string, now: number) {
  const question = { from: day, to: day, accountId: null, by: "account" } as const;
  const counts = await countRefusals(kv, question, now);
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
