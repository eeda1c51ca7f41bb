/** Applies the refresh rule to the configuration and the values in the database. */

import type { Config } from "../config/mod.ts";
import { areCallsScarce } from "./airtable/calls.ts";
import { readHook } from "./airtable/hook.ts";
import { unreachableAddress } from "./airtable/hook_problems.ts";
import { readMark } from "./mark.ts";
import {
  applyRefreshRule,
  type Freshness,
  type HookLife,
  HOURLY_MILLISECONDS,
  THRIFTY,
} from "./refresh_rule.ts";
import type { SnapshotMeta } from "./snapshot.ts";

/** Whether the store's changes are notified, and how often the store is read without notifications. */
export interface ChangeSource {
  /** The interval of reads without notifications, in milliseconds. */
  readonly pollMilliseconds: number;
  /** Whether a hook at Airtable is to report changes. */
  readonly hasHook: boolean;
  /** `AIRTABLE_CALLS_PER_MONTH`. */
  readonly callsPerMonth: number | undefined;
}

/** Why notifications that are switched on cannot be used; null if they can, or are off. */
export function notificationsMistake(config: Config): string | null {
  if (config.AIRTABLE_NOTIFICATIONS === "off") return null;
  if (config.EVENTS_STORE !== "airtable") return "EVENTS_STORE is not airtable.";
  return unreachableAddress(config.BASE_URL, config.AIRTABLE_API_URL);
}

/** The source of change notifications; null if there is none. */
export function changeSourceOf(config: Config): ChangeSource | null {
  const { AIRTABLE_NOTIFICATIONS, EVENTS_REFRESH_SECRET } = config;
  const callsPerMonth = config.AIRTABLE_CALLS_PER_MONTH;
  const hasHook = AIRTABLE_NOTIFICATIONS === "on" && notificationsMistake(config) === null;
  if (!hasHook && EVENTS_REFRESH_SECRET === undefined) return null;
  const configured = config.EVENTS_REFRESH_SECONDS * 1_000;
  // A budget that suits notifications is soon used up without them.
  const isThrifty = AIRTABLE_NOTIFICATIONS === "on" && callsPerMonth !== undefined;
  return {
    hasHook,
    callsPerMonth,
    pollMilliseconds: isThrifty ? Math.max(configured, THRIFTY.longest) : configured,
  };
}

/** The rule by which the store is read; times are epoch milliseconds. */
export interface RefreshReport {
  /** Whether notifications are switched on. */
  readonly isWanted: boolean;
  /** Whether the service relies on them now. */
  readonly isNotified: boolean;
  /** Why it does not, and the remedy; null if no problem is known. */
  readonly problem: string | null;
  /** The seconds between two reads if nothing changes. */
  readonly intervalSeconds: number;
  /** Whether reads wait longer, because the calls of the month must be spared. */
  readonly areCallsScarce: boolean;
  /** Until when the stored snapshot is known to be right; null without one. */
  readonly rightUntil: number | null;
}

/** Reads the rule by which the snapshot is refreshed. @param now epoch milliseconds. */
export async function readRefresh(
  kv: Deno.Kv,
  config: Config,
  meta: SnapshotMeta | null,
  now: number,
): Promise<RefreshReport> {
  const changeSource = changeSourceOf(config);
  const isWanted = config.AIRTABLE_NOTIFICATIONS === "on";
  const pollMilliseconds = changeSource?.pollMilliseconds ?? config.EVENTS_REFRESH_SECONDS * 1_000;
  const freshness = changeSource && meta && await readFreshness(kv, meta, changeSource, now);
  const hook = changeSource?.hasHook === true ? await readHook(kv) : null;
  const isNotified = freshness?.isNotified ?? false;
  return {
    isWanted,
    isNotified,
    problem: isNotified ? null : notificationsMistake(config) ?? hook?.problem ?? null,
    intervalSeconds: (isNotified ? HOURLY_MILLISECONDS : pollMilliseconds) / 1_000,
    areCallsScarce: await areCallsScarce(kv, changeSource?.callsPerMonth, now),
    rightUntil: freshness?.rightUntil ?? meta?.readAt ?? null,
  };
}

/** The mark and the hook that a read beginning now serves, for its metadata. */
export async function readServed(
  kv: Deno.Kv,
  changeSource: ChangeSource,
): Promise<Pick<SnapshotMeta, "markServed" | "hookId">> {
  const [mark, life] = await Promise.all([readMark(kv), readLife(kv, changeSource)]);
  return {
    ...mark === null ? {} : { markServed: mark.version },
    ...life === null ? {} : { hookId: life.id },
  };
}

/** The freshness of a snapshot. @param now epoch milliseconds, from before the metadata was read. */
export async function readFreshness(
  kv: Deno.Kv,
  { readAt, markServed, hookId }: SnapshotMeta,
  changeSource: ChangeSource,
  now: number,
): Promise<Freshness> {
  const [mark, hook, scarce] = await Promise.all([
    readMark(kv),
    readLife(kv, changeSource),
    areCallsScarce(kv, changeSource.callsPerMonth, now),
  ]);
  const known = { readAt, markServed: markServed ?? null, hookOfRead: hookId ?? null };
  return applyRefreshRule(
    { now, ...known, mark, hook, areCallsScarce: scarce },
    changeSource.pollMilliseconds,
  );
}

async function readLife(kv: Deno.Kv, { hasHook }: ChangeSource): Promise<HookLife | null> {
  return hasHook ? (await readHook(kv)).life : null;
}
