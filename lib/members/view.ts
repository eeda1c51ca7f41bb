/** Everything that a member's page shows. */

import {
  type Account,
  type ApiKey,
  dailyLimitOf,
  getLastUses,
  keyEndsAt,
  keyState,
  listKeys,
} from "../accounts/mod.ts";
import { dayOf, daysUntil, type Ledger, usagePrefix, type UsageRecord } from "../ledger/mod.ts";
import {
  type Refusal,
  refusalInWords,
  type RefusalRecorder,
  StoreError,
} from "../analytics/mod.ts";
import type { Config } from "../config/mod.ts";
import { listLatestEntries } from "../kv/mod.ts";
import { toUsd } from "../money.ts";
import { createEndpoints, getUsage, type Usage } from "../proxy/mod.ts";
import { listSessions, type Member, type Session } from "../sign_in/mod.ts";

/** A key as its owner sees it. Times are epoch milliseconds; null is never. */
export interface KeyView {
  readonly id: string;
  readonly label: string | null;
  readonly state: ReturnType<typeof keyState>;
  readonly createdAt: number;
  readonly endsAt: number | null;
  readonly lastUsedAt: number | null;
  /** Its own daily limit; null for none. */
  readonly limitUsd: number | null;
  /** The endpoints that it may use; null for all. */
  readonly endpoints: readonly string[] | null;
  /** The report that revoked it; null if there is none. */
  readonly leak: ApiKey["leak"] | null;
}

/** A key, with what its forms need. */
export interface OneKeyView extends KeyView {
  /** Today's spending, if the key has a limit of its own. */
  readonly spending: NonNullable<Usage["key"]> | null;
  /** Every endpoint of the service. */
  readonly allEndpoints: readonly string[];
}

/** A request of the last days, with the name of its key. */
export type RequestView = Omit<UsageRecord, "accountId" | "requestId"> & {
  readonly keyLabel: string | null;
};

/** Requests that were refused for one reason, within an hour; or within a day, if only its code is kept. */
export interface RefusalView extends Pick<Refusal, "endpoint" | "requests" | "lastAt"> {
  /** The name of the key, or its id; null if several keys are meant. */
  readonly key: string | null;
  readonly reason: string;
}

/** The content of a member's page. */
export interface AccountView {
  readonly account: Account;
  readonly usage: Usage;
  /** The latest first: all that work, and a few of the others. */
  readonly keys: readonly KeyView[];
  readonly requests: readonly RequestView[];
  /** Those of the last two weeks, the latest first; null if the analytics store does not respond. */
  readonly refusals: readonly RefusalView[] | null;
  /** Every endpoint that a key may use. */
  readonly allEndpoints: readonly string[];
  readonly sessions: readonly Session[];
  /** The session of the request. */
  readonly sessionId: string;
}

/** The days of the chart. */
const DAYS = 30;
const REQUESTS = 50;
const REFUSALS = 20;
/** The number of keys listed that no longer work. */
const ENDED_KEYS = 10;

/** The sources of the page. */
interface Sources {
  readonly kv: Deno.Kv;
  readonly ledger: Ledger;
  readonly refusals: Pick<RefusalRecorder, "list">;
  readonly config: Config;
  readonly now: () => number;
}

/** Reads the content of a member's page. */
export async function readAccountView(
  { kv, ledger, refusals: recorder, config, now }: Sources,
  { account, session }: Member,
): Promise<AccountView> {
  const { id } = account;
  const limit = dailyLimitOf(account, config.DAILY_LIMIT_USD, now());
  const [{ usage }, keys, requests, refusals, sessions] = await Promise.all([
    getUsage(ledger, { accountId: id, limit }, `?days=${DAYS}`, now),
    listKeyViews(kv, id, now()),
    listLatestRequests(kv, id, { days: DAYS, count: REQUESTS, now: now() }),
    listRefusals(recorder, id),
    listSessions(kv, id, now()),
  ]);
  const labels = new Map(keys.map((key) => [key.id, key.label]));
  const isLive = ({ state }: KeyView) => state === "active";
  return {
    account,
    usage,
    keys: [...keys.filter(isLive), ...keys.filter((key) => !isLive(key)).slice(0, ENDED_KEYS)],
    requests: requests.map(({ requestId: _id, accountId: _account, ...request }) => ({
      ...request,
      keyLabel: labels.get(request.keyId) ?? null,
    })),
    refusals: refusals?.slice(0, REFUSALS).map((refusal) => ({
      endpoint: refusal.endpoint,
      requests: refusal.requests,
      lastAt: refusal.lastAt,
      key: refusal.keyId === null ? null : labels.get(refusal.keyId) ?? refusal.keyId,
      reason: refusalInWords(refusal),
    })) ?? null,
    allEndpoints: endpointNames(config),
    sessions,
    sessionId: session.id,
  };
}

/** Null if the store fails: the rest of the page does not depend on it. */
async function listRefusals(
  recorder: Pick<RefusalRecorder, "list">,
  accountId: string,
): Promise<Refusal[] | null> {
  try {
    return await recorder.list(accountId);
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}

/** Every key of an account, the latest first. */
async function listKeyViews(kv: Deno.Kv, accountId: string, now: number): Promise<KeyView[]> {
  const keys = (await listKeys(kv, accountId)).toReversed();
  const uses = await getLastUses(kv, keys.map(({ id }) => id));
  return keys.map((key, at) => toKeyView(key, uses[at] ?? null, now));
}

/** Reads the content of a key's page. */
export async function readKeyView(
  { kv, ledger, config, now }: Omit<Sources, "refusals">,
  account: Account,
  key: ApiKey,
): Promise<OneKeyView> {
  const accountId = account.id;
  const limit = dailyLimitOf(account, config.DAILY_LIMIT_USD, now());
  const { cap } = key;
  const [[lastUsedAt = null], status] = await Promise.all([
    getLastUses(kv, [key.id]),
    cap && getUsage(ledger, { accountId, limit, cap }, "", now),
  ]);
  return {
    ...toKeyView(key, lastUsedAt, now()),
    spending: status?.usage.key ?? null,
    allEndpoints: endpointNames(config),
  };
}

function toKeyView(key: ApiKey, lastUsedAt: number | null, now: number): KeyView {
  const { id, label, createdAt, cap, endpoints = null } = key;
  const [state, endsAt] = [keyState(key, now), keyEndsAt(key)];
  const limitUsd = cap === undefined ? null : toUsd(cap.limitNanoUsd);
  const leak = key.leak ?? null;
  return { id, label, state, createdAt, endsAt, lastUsedAt, limitUsd, endpoints, leak };
}

/** The endpoints that a key may use. */
export function endpointNames(config: Config): string[] {
  return Object.keys(createEndpoints(config));
}

/**
 * The latest requests of an account, the latest first, read from the ledger's own records, which exist as soon as a
 * request is charged. The names of batches begin with the time of their commit, so only the last ones of each day are
 * read.
 *
 * @param now epoch milliseconds.
 */
export async function listLatestRequests(
  kv: Deno.Kv,
  accountId: string,
  { days, count, now }: { readonly days: number; readonly count: number; readonly now: number },
): Promise<UsageRecord[]> {
  const found: UsageRecord[] = [];
  for (const day of daysUntil(dayOf(now), days)) {
    // Each batch has at least one record.
    const prefix = usagePrefix(accountId, day);
    for (const batch of await listLatestEntries<readonly UsageRecord[]>(kv, prefix, count)) {
      found.push(...batch);
    }
    if (found.length >= count) break;
  }
  return found.toSorted((a, b) => b.at - a.at).slice(0, count);
}
