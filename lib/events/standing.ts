/** Applies the refresh rule to the configuration and the values in the database. */

import type { Config } from "../config/mod.ts";
import { areCallsScarce } from "./airtable/calls.ts";
import { readHook } from "./airtable/hook.ts";
import { unreachableAddress } from "./airtable/hook_problems.ts";
import { readMark } from "./mark.ts";
import {
  type HookLife,
  HOURLY_MILLISECONDS,
  judge,
  type Standing,
  THRIFTY,
} from "./refresh_rule.ts";
import type { SnapshotMeta } from "./snapshot.ts";

/** Whether the store's changes are notified, and how often the store is read without notifications. */
export interface Listening {
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
export function listeningOf(config: Config): Listening | null {
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
  /** Whether reads wait longer, because the calls of the month have to be spared. */
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
  const listening = listeningOf(config);
  const isWanted = config.AIRTABLE_NOTIFICATIONS === "on";
  const pollMilliseconds = listening?.pollMilliseconds ?? config.EVENTS_REFRESH_SECONDS * 1_000;
  const standing = listening && meta && await readStanding(kv, meta, listening, now);
  const hook = listening?.hasHook === true ? await readHook(kv) : null;
  const isNotified = standing?.isNotified ?? false;
  return {
    isWanted,
    isNotified,
    problem: isNotified ? null : notificationsMistake(config) ?? hook?.problem ?? null,
    intervalSeconds: (isNotified ? HOURLY_MILLISECONDS : pollMilliseconds) / 1_000,
    areCallsScarce: await areCallsScarce(kv, listening?.callsPerMonth, now),
    rightUntil: standing?.rightUntil ?? meta?.readAt ?? null,
  };
}

/** The mark and the hook that a read beginning now serves, for its metadata. */
export async function readTold(
  kv: Deno.Kv,
  listening: Listening,
): Promise<Pick<SnapshotMeta, "markServed" | "hookId">> {
  const [mark, life] = await Promise.all([readMark(kv), readLife(kv, listening)]);
  return {
    ...mark === null ? {} : { markServed: mark.version },
    ...life === null ? {} : { hookId: life.id },
  };
}

/** The standing of a snapshot. @param now epoch milliseconds, from before the metadata was read. */
export async function readStanding(
  kv: Deno.Kv,
  { readAt, markServed, hookId }: SnapshotMeta,
  listening: Listening,
  now: number,
): Promise<Standing> {
  const [mark, hook, scarce] = await Promise.all([
    readMark(kv),
    readLife(kv, listening),
    areCallsScarce(kv, listening.callsPerMonth, now),
  ]);
  const known = { readAt, markServed: markServed ?? null, hookOfRead: hookId ?? null };
  return judge({ now, ...known, mark, hook, areCallsScarce: scarce }, listening.pollMilliseconds);
}

async function readLife(kv: Deno.Kv, { hasHook }: Listening): Promise<HookLife | null> {
  return hasHook ? (await readHook(kv)).life : null;
}
