/** Everything that a member's page shows. */

import { type Account, dailyLimitOf } from "../accounts/account.ts";
import { type ApiKey, keyEndsAt, keyState, listKeys } from "../accounts/key.ts";
import { getLastUses } from "../accounts/last_use.ts";
import type { Ledger } from "../proxy/ledger/ledger.ts";
import { listLatestUsage } from "../proxy/ledger/read.ts";
import { createEndpoints } from "../proxy/proxy.ts";
import { refusalInWords } from "../proxy/records/refusal.ts";
import type { RefusalRecorder } from "../proxy/records/refusals.ts";
import { getUsage } from "../proxy/usage.ts";
import type { Config } from "../platform/config/config.ts";
import { toUsd } from "../platform/money.ts";
import type { Platform } from "../platform/platform.ts";
import { listSessions, type Member } from "./sessions.ts";
import { DAY_MILLISECONDS } from "../platform/time.ts";

/** A key as its owner sees it. Times are epoch milliseconds; null is never, or none. */
export type KeyView = ReturnType<typeof toKeyView>;

/** A key, with what its forms need. */
export type OneKeyView = Awaited<ReturnType<typeof readKeyView>>;

/** The content of a member's page. */
export type AccountView = Awaited<ReturnType<typeof readAccountView>>;

const DAYS = 30;
const REQUESTS = 30;
const REFUSALS = 20;
/** The number of keys listed that no longer work. */
const ENDED_KEYS = 10;

interface Sources extends Pick<Platform, "kv" | "now"> {
  readonly ledger: Ledger;
  readonly refusals: Pick<RefusalRecorder, "list">;
  readonly config: Config;
}

/** Reads the content of a member's page. */
export async function readAccountView(
  { kv, ledger, refusals: recorder, config, now }: Sources,
  { account, session }: Member,
) {
  const { id } = account;
  const limit = dailyLimitOf(account, config.DAILY_LIMIT_USD, now());
  const [{ usage }, keys, requests, refusals, sessions] = await Promise.all([
    getUsage(ledger, { accountId: id, limit }, `?days=${DAYS}`, now),
    listKeyViews(kv, id, now()),
    listLatestUsage(kv, id, { since: now() - DAYS * DAY_MILLISECONDS, count: REQUESTS }),
    recorder.list(id),
    listSessions(kv, id, now()),
  ]);
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  const isLive = ({ state }: KeyView) => state === "active";
  return {
    account,
    usage,
    /** The latest first, as all lists here. */
    liveKeys: keys.filter(isLive),
    /** A few of those that no longer work. */
    endedKeys: keys.filter((key) => !isLive(key)).slice(0, ENDED_KEYS),
    /** With the name of each one's key. */
    requests: requests.map(({ requestId: _id, accountId: _account, ...request }) => ({
      ...request,
      key: names.get(request.keyId) ?? request.keyId,
    })),
    /** Those of the last two weeks. Each is the requests that were refused for one reason on a day. */
    refusals: refusals.slice(0, REFUSALS).map((refusal) => ({
      endpoint: refusal.endpoint,
      requests: refusal.requests,
      lastAt: refusal.lastAt,
      /** The name of the key, or its id; null if several keys are meant. */
      key: refusal.keyId === null ? null : names.get(refusal.keyId) ?? refusal.keyId,
      reason: refusalInWords(refusal),
    })),
    /** Every endpoint that a key may use. */
    allEndpoints: endpointNames(config),
    now: now(),
    sessions,
    sessionId: session.id,
  };
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
) {
  const accountId = account.id;
  const limit = dailyLimitOf(account, config.DAILY_LIMIT_USD, now());
  const { cap } = key;
  const [[lastUsedAt = null], status] = await Promise.all([
    getLastUses(kv, [key.id]),
    cap && getUsage(ledger, { accountId, limit, cap }, "", now),
  ]);
  return {
    ...toKeyView(key, lastUsedAt, now()),
    /** Today's spending, if the key has a limit of its own. */
    spending: status?.usage.key ?? null,
    allEndpoints: endpointNames(config),
    now: now(),
  };
}

function toKeyView(key: ApiKey, lastUsedAt: number | null, now: number) {
  const { id, label, createdAt, cap, endpoints = null, leak = null } = key;
  return {
    id,
    /** Its name, or its id if it has none. */
    name: label ?? id,
    label,
    state: keyState(key, now),
    createdAt,
    endsAt: keyEndsAt(key),
    lastUsedAt,
    /** Its own daily limit. */
    limitUsd: cap === undefined ? null : toUsd(cap.limitNanoUsd),
    /** The endpoints that it may use; null for all. */
    endpoints,
    /** The report that revoked it. */
    leak,
  };
}

/** The endpoints that a key may use. */
export function endpointNames(config: Config): string[] {
  return Object.keys(createEndpoints(config));
}
