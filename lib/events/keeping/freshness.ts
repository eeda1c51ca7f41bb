/**
 * The rule that decides until when the stored events are right, and when the record store is read again. It depends
 * on values in the database, so all isolates agree.
 *
 * A snapshot is right until its read began; with notifications, until the first of these moments: now, the first
 * notification that it does not serve, an hour after its read began, the end of the hook. From then on it is served
 * for as long as data may lag, including the caches of clients.
 *
 * A notification says that the record store has changed, or is to be read. It is stored before its sender gets a
 * response, so a crash loses none. A snapshot serves it if its read began after it was stored, by the database's own
 * order: clocks may differ. It never waits so long for its read that a snapshot is refused.
 *
 * Without notifications, reads are as far apart as the configuration says, or as the calls of the month require, but
 * never so far that a snapshot is refused.
 */

import type { Config } from "../../platform/config/config.ts";
import { beginAtomic, commitOnce } from "../../platform/kv/write.ts";
import { getEntry } from "../../platform/kv/list.ts";
import { readMinIntervalForQuota } from "../airtable/quota.ts";
import { type HookLife, readHook } from "../airtable/webhook.ts";
import type { SnapshotMeta } from "./snapshot.ts";
import { getSnapshotEntry } from "./stored.ts";
import { HOURLY_MILLISECONDS, MAX_AGE_MILLISECONDS, MAX_SKEW_MILLISECONDS } from "../values.ts";

/**
 * The first and the last of the notifications that wait for their read, in epoch milliseconds. The first is 0 if it is
 * not known, because a clock was wrong.
 */
interface Notifications {
  readonly firstAt: number;
  readonly lastAt: number;
}

/** The conclusions of the rule; times are epoch milliseconds. */
export interface Freshness {
  /** Until when the snapshot is known to be right. */
  readonly rightUntil: number;
  /** When the store is read again. */
  readonly dueAt: number;
  /** Whether a notification waits for its read. */
  readonly isAwaited: boolean;
  /** Whether the service relies on notifications, so that `rightUntil` is later than the read. */
  readonly isNotified: boolean;
  /** The milliseconds between two reads if nothing changes. */
  readonly interval: number;
}

/** The minimum between two reads after notifications. */
const MIN_INTERVAL_MILLISECONDS = 10_000;
/** A burst of edits is over after so long without another notification. */
const QUIET_MILLISECONDS = 5_000;
/** The same if calls are too few for polling, so that a burst of edits is one read. */
const THRIFTY_QUIET_MILLISECONDS = 15_000;
/** A burst that continues is read so long after its first notification: well within the promised minute. */
const LONGEST_MILLISECONDS = 50_000;

const notificationsKey: Deno.KvKey = ["events", "notified"];

/** How the configuration has the store read. */
export interface RefreshPolicy {
  /** The interval of reads without notifications, in milliseconds (`EVENTS_REFRESH_SECONDS`). */
  readonly pollMilliseconds: number;
  /** Whether a hook at Airtable is to report changes (`AIRTABLE_NOTIFICATIONS`). */
  readonly hasHook: boolean;
  /** `AIRTABLE_CALLS_PER_MONTH`. */
  readonly callsPerMonth: number | undefined;
}

/** The policy of a configuration. Only Airtable sends notifications, and limits calls. */
export function refreshPolicyOf(config: Config): RefreshPolicy {
  const isAirtable = config.EVENTS_FILE === undefined;
  return {
    pollMilliseconds: config.EVENTS_REFRESH_SECONDS * 1_000,
    hasHook: isAirtable && config.AIRTABLE_NOTIFICATIONS === "on",
    callsPerMonth: isAirtable ? config.AIRTABLE_CALLS_PER_MONTH : undefined,
  };
}

/** Stores a notification that has just come. @param now epoch milliseconds. */
export async function storeNotification(kv: Deno.Kv, now: number): Promise<void> {
  while (true) {
    const entry = await getEntry<Notifications>(kv, notificationsKey);
    const { pointer } = await getSnapshotEntry(kv);
    const isWaiting = entry.value !== null && entry.versionstamp !== pointer?.meta.served;
    const firstAt = isWaiting ? entry.value.firstAt : now;
    const value: Notifications = {
      // A time in the future comes from a wrong clock: that change may have come at any time.
      firstAt: firstAt > now + MAX_SKEW_MILLISECONDS ? 0 : Math.min(firstAt, now),
      lastAt: now,
    };
    const operation = beginAtomic(kv).check(entry).set(notificationsKey, value);
    if ((await commitOnce(kv, operation, notificationsKey, value)).ok) return;
  }
}

/** The last notification and the hook that a read beginning now serves, for its metadata. */
export async function readServed(
  kv: Deno.Kv,
  policy: RefreshPolicy,
): Promise<Pick<SnapshotMeta, "served" | "hookId">> {
  const [{ versionstamp }, hook] = await Promise.all([
    getEntry<Notifications>(kv, notificationsKey),
    readLife(kv, policy),
  ]);
  return {
    ...versionstamp !== null && { served: versionstamp },
    ...hook !== null && { hookId: hook.id },
  };
}

/**
 * Applies the rule to a snapshot.
 *
 * @param now epoch milliseconds, from before the metadata was read.
 */
export async function readFreshness(
  kv: Deno.Kv,
  { readAt, hookId, served }: Pick<SnapshotMeta, "readAt" | "hookId" | "served">,
  policy: RefreshPolicy,
  now: number,
): Promise<Freshness> {
  const [{ value, versionstamp }, hook, fitting] = await Promise.all([
    getEntry<Notifications>(kv, notificationsKey),
    readLife(kv, policy),
    readMinIntervalForQuota(kv, policy.callsPerMonth, now),
  ]);
  const waiting = versionstamp === served ? null : value;
  // A read before this hook was alive may have missed changes that no notification reports.
  const isNotified = hook !== null && hook.id === hookId && now < hook.until;
  // A time in the future comes from a wrong clock: the change may have come at any time.
  const isFuture = waiting !== null && waiting.firstAt > now + MAX_SKEW_MILLISECONDS;
  const changedAt = isFuture ? readAt : waiting?.firstAt ?? Infinity;
  const rightUntil = isNotified
    ? Math.max(readAt, Math.min(now, readAt + HOURLY_MILLISECONDS, hook.until, changedAt))
    : readAt;
  const interval = isNotified
    ? HOURLY_MILLISECONDS
    : Math.min(Math.max(policy.pollMilliseconds, fitting), MAX_AGE_MILLISECONDS);
  const quiet = fitting > MAX_AGE_MILLISECONDS ? THRIFTY_QUIET_MILLISECONDS : QUIET_MILLISECONDS;
  const isOverAt = waiting === null ? Infinity : waiting.lastAt + quiet;
  const askedAt = Math.max(
    readAt + MIN_INTERVAL_MILLISECONDS,
    Math.min(isOverAt, changedAt + LONGEST_MILLISECONDS),
  );
  return {
    rightUntil,
    dueAt: Math.min(readAt + interval, askedAt, rightUntil + MAX_AGE_MILLISECONDS),
    isAwaited: waiting !== null,
    isNotified,
    interval,
  };
}

async function readLife(kv: Deno.Kv, { hasHook }: RefreshPolicy): Promise<HookLife | null> {
  return hasHook ? (await readHook(kv)).life : null;
}

/** The rule by which the store is read, for operators. */
export interface RefreshReport {
  /** Whether notifications are switched on. */
  readonly isWanted: boolean;
  /** Whether the service relies on them now. */
  readonly isNotified: boolean;
  /** Why it does not, and the remedy; null if no problem is known. */
  readonly problem: string | null;
  /** The seconds between two reads if nothing changes. */
  readonly intervalSeconds: number;
  /** Until when the stored snapshot is known to be right (epoch milliseconds); null without one. */
  readonly rightUntil: number | null;
}

/** Reads the rule by which the snapshot is refreshed. @param now epoch milliseconds. */
export async function readRefresh(
  kv: Deno.Kv,
  config: Config,
  meta: SnapshotMeta | null,
  now: number,
): Promise<RefreshReport> {
  const policy = refreshPolicyOf(config);
  const { readAt = -Infinity } = meta ?? {};
  const { isNotified, interval, rightUntil } = await readFreshness(
    kv,
    { ...meta, readAt },
    policy,
    now,
  );
  return {
    isWanted: policy.hasHook,
    isNotified,
    problem: policy.hasHook && !isNotified ? (await readHook(kv)).problem : null,
    intervalSeconds: Math.round(interval / 1_000),
    rightUntil: meta && rightUntil,
  };
}
