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

import type { Config } from "../platform/config/config.ts";
import { beginAtomic, commitOnce } from "../platform/kv/write.ts";
import { getEntry } from "../platform/kv/list.ts";
import { readFittingInterval } from "./airtable/calls.ts";
import { type HookLife, readHook } from "./airtable/hook.ts";
import type { SnapshotMeta } from "./snapshot.ts";
import { getSnapshotEntry } from "./stored.ts";
import { HOURLY_MILLISECONDS, MAX_AGE_MILLISECONDS, MAX_SKEW_MILLISECONDS } from "./values.ts";

/**
 * The first and the last of the notifications that wait for their read, in epoch milliseconds. The first is 0 if it is
 * not known, because a clock was wrong.
 */
interface Notifications {
  readonly firstAt: number;
  readonly lastAt: number;
}

/** What the rule depends on; times are epoch milliseconds. */
interface RefreshFacts {
  readonly now: number;
  /** The snapshot: when its read began, and the hook that was alive then. */
  readonly snapshot: Pick<SnapshotMeta, "readAt" | "hookId">;
  /** Those that the snapshot does not serve; null if there are none. */
  readonly waiting: Notifications | null;
  /** Null if no hook is known to be alive. */
  readonly hook: HookLife | null;
  /** The interval of reads, in milliseconds, for which the month's calls suffice; 0 if any number may be made. */
  readonly fittingMilliseconds: number;
}

/** The conclusions from the facts; times are epoch milliseconds. */
export interface Freshness {
  /** Until when the snapshot is known to be right. */
  readonly rightUntil: number;
  /** When the store is read again. */
  readonly dueAt: number;
  /** Whether a notification waits for its read. */
  readonly isAwaited: boolean;
  /** Whether the service relies on notifications, so that `rightUntil` is later than the read. */
  readonly isNotified: boolean;
}

/** The minimum between two reads after notifications. */
const MIN_INTERVAL_MILLISECONDS = 10_000;
/** A burst of edits is over after so long without another notification. */
const QUIET_MILLISECONDS = 5_000;
/** The same if calls are too few for polling, so that a burst of edits is one read. */
const THRIFTY_QUIET_MILLISECONDS = 15_000;
/** A burst that continues is read so long after its first notification: well within the promised minute. */
const LONGEST_MILLISECONDS = 50_000;

/** Applies the rule. @param pollMilliseconds the interval of reads without notifications. */
function applyRefreshRule(facts: RefreshFacts, pollMilliseconds: number): Freshness {
  const { now, snapshot: { readAt, hookId }, waiting, hook, fittingMilliseconds } = facts;
  // A read before this hook was alive may have missed changes that no notification reports.
  const isNotified = hook !== null && hook.id === hookId && now < hook.until;
  // A time in the future comes from a wrong clock: the change may have come at any time.
  const isFuture = waiting !== null && waiting.firstAt > now + MAX_SKEW_MILLISECONDS;
  const changedAt = isFuture ? readAt : waiting?.firstAt ?? Infinity;
  const rightUntil = isNotified
    ? Math.max(readAt, Math.min(now, readAt + HOURLY_MILLISECONDS, hook.until, changedAt))
    : readAt;
  const fitting = Math.min(Math.max(pollMilliseconds, fittingMilliseconds), MAX_AGE_MILLISECONDS);
  const regular = readAt + (isNotified ? HOURLY_MILLISECONDS : fitting);
  const isTight = fittingMilliseconds > MAX_AGE_MILLISECONDS;
  const quiet = isTight ? THRIFTY_QUIET_MILLISECONDS : QUIET_MILLISECONDS;
  const asked = Math.max(
    readAt + MIN_INTERVAL_MILLISECONDS,
    Math.min(
      waiting === null ? Infinity : waiting.lastAt + quiet,
      changedAt + LONGEST_MILLISECONDS,
    ),
  );
  const dueAt = Math.min(regular, asked, rightUntil + MAX_AGE_MILLISECONDS);
  return { rightUntil, dueAt, isAwaited: waiting !== null, isNotified };
}

const notificationsKey: Deno.KvKey = ["events", "notified"];

/** Stores the notifications that have come since the last were stored. */
export async function storeNotifications(
  kv: Deno.Kv,
  coming: Notifications,
): Promise<void> {
  while (true) {
    const entry = await getEntry<Notifications>(kv, notificationsKey);
    const { pointer } = await getSnapshotEntry(kv);
    const isWaiting = entry.value !== null && entry.versionstamp !== pointer?.meta.served;
    const value = isWaiting ? together(entry.value, coming, coming.lastAt) : coming;
    const operation = beginAtomic(kv).check(entry).set(notificationsKey, value);
    if ((await commitOnce(kv, operation, notificationsKey, value)).ok) return;
  }
}

/** @param now when the last of them came, or later. */
function together(waiting: Notifications, coming: Notifications, now: number): Notifications {
  const times = [waiting.firstAt, coming.firstAt];
  const latest = Math.max(...times);
  // A time in the future comes from a wrong clock: that change may have come at any time, even once it is past.
  const firstAt = latest > now + MAX_SKEW_MILLISECONDS ? 0 : Math.min(...times);
  return { firstAt, lastAt: coming.lastAt };
}

/** Where an isolate stores its notifications. */
export type Inbox = ReturnType<typeof createInbox>;

/** Makes the inbox of an isolate. A notification that cannot be stored still counts in it. */
export function createInbox(kv: Deno.Kv, now: () => number) {
  let unstored: Notifications | null = null;
  return {
    /** Notifications that could not be stored and that no read has served yet; null if there are none. */
    unstored: () => unstored,
    /** Forgets those that a read of this isolate serves. @param readAt epoch milliseconds at which it began. */
    serve(readAt: number): void {
      if (unstored !== null && readAt > unstored.lastAt) unstored = null;
    },
    /** Stores a notification that has just come. */
    async store(): Promise<void> {
      const at = now();
      const coming = { firstAt: unstored?.firstAt ?? at, lastAt: at };
      unstored = coming;
      await storeNotifications(kv, coming);
      if (unstored === coming) unstored = null;
    },
  };
}

/** How the configuration has the store read. */
export interface RefreshPolicy {
  /** The interval of reads without notifications, in milliseconds (`EVENTS_REFRESH_SECONDS`). */
  readonly pollMilliseconds: number;
  /** Whether a hook at Airtable is to report changes (`AIRTABLE_NOTIFICATIONS`). */
  readonly hasHook: boolean;
  /** `AIRTABLE_CALLS_PER_MONTH`. */
  readonly callsPerMonth: number | undefined;
}

/** Why notifications that are switched on cannot be used; null if they can, or are off. */
export function notificationsMistake(config: Config): string | null {
  if (config.AIRTABLE_NOTIFICATIONS === "off") return null;
  if (config.EVENTS_FILE !== undefined) return "The events are read from EVENTS_FILE.";
  return unreachableAddress(config.BASE_URL, config.AIRTABLE_API_URL);
}

/** Why notifications cannot reach an address; null if no reason is known. */
function unreachableAddress(baseUrl: string, apiUrl: string): string | null {
  if (!isLocal(baseUrl) || isLocal(apiUrl)) return null;
  return "A notification cannot reach BASE_URL, which is an address of this machine or a local " +
    "network. Set BASE_URL to the public address.";
}

/** Whether an address belongs to this machine or to a local network. */
function isLocal(address: string): boolean {
  const { hostname } = new URL(address);
  return /^(?:localhost|127\.[\d.]+|0\.0\.0\.0|10\.[\d.]+|192\.168\.[\d.]+|169\.254\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+|\[(?:::1?|f[cde].*)\])$|\.(?:local|localhost|internal|lan)$/i
    .test(hostname) || !/[.:]/.test(hostname);
}

/** The policy of a configuration. */
export function refreshPolicyOf(config: Config): RefreshPolicy {
  return {
    pollMilliseconds: config.EVENTS_REFRESH_SECONDS * 1_000,
    hasHook: config.AIRTABLE_NOTIFICATIONS === "on" && notificationsMistake(config) === null,
    callsPerMonth: config.EVENTS_FILE === undefined ? config.AIRTABLE_CALLS_PER_MONTH : undefined,
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
  const policy = refreshPolicyOf(config);
  const fitting = await readFittingInterval(kv, policy.callsPerMonth, now);
  const freshness = meta && await readFreshness(kv, meta, policy, now);
  const hook = policy.hasHook ? await readHook(kv) : null;
  const isNotified = freshness?.isNotified ?? false;
  const polled = Math.min(Math.max(policy.pollMilliseconds, fitting), MAX_AGE_MILLISECONDS);
  return {
    isWanted: config.AIRTABLE_NOTIFICATIONS === "on",
    isNotified,
    problem: isNotified ? null : notificationsMistake(config) ?? hook?.problem ?? null,
    intervalSeconds: Math.round((isNotified ? HOURLY_MILLISECONDS : polled) / 1_000),
    rightUntil: freshness?.rightUntil ?? meta?.readAt ?? null,
  };
}

/** The last notification and the hook that a read beginning now serves, for its metadata. */
export async function readServed(
  kv: Deno.Kv,
  policy: RefreshPolicy,
): Promise<Pick<SnapshotMeta, "served" | "hookId">> {
  const [{ versionstamp }, life] = await Promise.all([
    getEntry<Notifications>(kv, notificationsKey),
    readLife(kv, policy),
  ]);
  return {
    ...versionstamp === null ? {} : { served: versionstamp },
    ...life === null ? {} : { hookId: life.id },
  };
}

/**
 * The freshness of a snapshot. Times are epoch milliseconds.
 *
 * @param now from before the metadata was read.
 * @param unstored notifications that this isolate could not store; null if there are none.
 */
export async function readFreshness(
  kv: Deno.Kv,
  snapshot: SnapshotMeta,
  policy: RefreshPolicy,
  now: number,
  unstored: Notifications | null = null,
): Promise<Freshness> {
  const [{ value, versionstamp }, hook, fittingMilliseconds] = await Promise.all([
    getEntry<Notifications>(kv, notificationsKey),
    readLife(kv, policy),
    readFittingInterval(kv, policy.callsPerMonth, now),
  ]);
  const stored = versionstamp === snapshot.served ? null : value;
  const waiting = stored && unstored ? together(stored, unstored, now) : stored ?? unstored;
  const facts = { now, snapshot, waiting, hook, fittingMilliseconds };
  return applyRefreshRule(facts, policy.pollMilliseconds);
}

async function readLife(kv: Deno.Kv, { hasHook }: RefreshPolicy): Promise<HookLife | null> {
  return hasHook ? (await readHook(kv)).life : null;
}
