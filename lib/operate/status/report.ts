/**
 * The status report, made from values that other parts have stored, for the status page, its markdown and `deno task
 * status`. A part that cannot be read is null.
 */

import { hasAccount } from "../../accounts/durable_database.ts";
import { dayOf } from "../../platform/utc_days.ts";
import { readServiceSum } from "../../proxy/ledger/service_sums.ts";
import type { Config } from "../../platform/config/config.ts";
import { readCalls } from "../../events/airtable/quota.ts";
import { readRefresh, type RefreshReport } from "../../events/keeping/freshness.ts";
import type { Snapshot } from "../../events/keeping/snapshot.ts";
import { type ReadFailure, readFailure } from "../../events/keeping/failure.ts";
import { readStoredSnapshot } from "../../events/keeping/stored.ts";
import { MAX_AGE_MILLISECONDS } from "../../events/values.ts";
import {
  type CheckName,
  historyDays,
  readHistory,
  WATCHED_NAMES,
  type WatchedName,
} from "../health/history.ts";
import type { NanoUsd } from "../../platform/money.ts";
import { areJobsOn, isJobLate, listJobRuns, TURN_MILLISECONDS } from "../jobs.ts";

/** The state of the service; times are epoch milliseconds. */
export type StatusReport = Awaited<ReturnType<typeof readStatus>>;
/** A job and its last run. */
export type JobStatus = NonNullable<StatusReport["jobs"]>[number];

/** A check now, and on each of the last 90 days. */
export interface CheckStatus {
  readonly name: WatchedName;
  readonly state: CheckState;
  /** Since when every run has failed; null if the last one succeeded, or it is not known. */
  readonly failingSince: number | null;
  /** The latest first. */
  readonly days: readonly DayStatus[];
}

/** `warning` is up but needs attention; `unknown` has not been checked yet. */
type CheckState = "up" | "warning" | "down" | "unknown" | "unconfigured";

/** A check's runs on a day. */
export interface DayStatus {
  readonly date: string;
  readonly runs: number;
  readonly failed: number;
}

/** Whether each check succeeds now; null if that is not known. */
type Current = Readonly<Record<CheckName, boolean>> | null;

/** Without requests the store is read in each turn of the jobs; an older read is late. */
const LATE_READ_MILLISECONDS = 1.5 * TURN_MILLISECONDS;

/**
 * Makes the report from the database alone.
 *
 * @param current the results of the checks now; null to take those of their last stored run.
 */
export async function readStatus({ kv, config, now, current }: {
  readonly kv: Deno.Kv;
  readonly config: Config;
  readonly now: number;
  readonly current: Current;
}) {
  let isReadable = true;
  // A part that cannot be read hides no other; the health checks report why.
  const unreadable = () => {
    isReadable = false;
    return null;
  };
  const [known, snapshot, failure, service, runs, isDatabaseLasting] = await Promise.all([
    readHistory(kv, now).catch(unreadable),
    readStoredSnapshot(kv).catch(unreadable),
    readFailure(kv).catch(unreadable),
    config.SERVICE_DAILY_LIMIT_USD === undefined
      ? null
      : readService(kv, config.SERVICE_DAILY_LIMIT_USD, now).catch(unreadable),
    listJobRuns(kv).catch(unreadable),
    !config.hosting.needsProof || hasAccount(kv).catch(() => true),
  ]);
  const history: History = known ?? new Map();
  const refresh = await readRefresh(kv, config, snapshot?.meta ?? null, now).catch(unreadable);
  const calls = config.EVENTS_FILE !== undefined || refresh === null
    ? null
    : await readCalls(kv, now).catch(unreadable);
  const events = snapshot && eventsStatus(snapshot, refresh, now);
  // A job that has never run is late once the first check was long enough ago.
  const checkedAt = [...history.values()].flatMap((day) => Object.values(day))
    .map(({ firstAt }) => firstAt);
  const startedAt = Math.min(now, ...checkedAt);
  return {
    at: now,
    /** The events first. */
    checks: WATCHED_NAMES.map((name): CheckStatus => {
      const isWatched = isConfigured(name, config);
      const days = (isWatched ? historyDays(now) : []).map((date) => {
        const { runs = 0, failed = 0 } = history.get(date)?.[name] ?? {};
        return { date, runs, failed };
      });
      if (!isWatched) return { name, state: "unconfigured", failingSince: null, days };
      if (name !== "events") return { name, ...checkState(name, history, now, current), days };
      // The check of the events uses the stored reads of the store, so it is always current.
      const failingSince = failure?.since ?? null;
      return { name, state: eventsState(events, failure), failingSince, days };
    }),
    /** False if anything could not be read from the database. */
    isReadable,
    /** Null if nothing is stored, or the database cannot be read. */
    events,
    /** Why the record store cannot be read; its reason is for the operator. Null if it can. */
    failure,
    /** The rule by which the events are read; null if the database cannot be read. */
    refresh,
    /** The calls of Airtable's API; null before the first, with another store, or if the database cannot be read. */
    calls: calls && {
      month: calls.month,
      calls: calls.calls,
      budget: config.AIRTABLE_CALLS_PER_MONTH ?? null,
      pages: calls.pages,
    },
    /** False if there is no proof that the database lasts: the proxy is off then. */
    isDatabaseLasting,
    /** Null without SERVICE_DAILY_LIMIT_USD, or if the database cannot be read. */
    service,
    /** Null if the database cannot be read; the run is null if the job has never run. */
    jobs: runs && [...runs].map(([name, run]) => ({
      name,
      run,
      /** Whether it is long overdue. */
      isLate: areJobsOn(config) && isJobLate(run?.startedAt ?? startedAt, now),
    })),
  };
}

/** The amounts that all accounts together have spent and reserved today, and whether these reach the limit. */
async function readService(kv: Deno.Kv, limit: NanoUsd, now: number) {
  const used = await readServiceSum(kv, dayOf(now));
  return { used, isReached: used >= limit };
}

type History = Awaited<ReturnType<typeof readHistory>>;

/** Whether the configuration names the dependency. */
export function isConfigured(name: WatchedName, config: Config): boolean {
  return {
    events: config.EVENTS_FILE !== undefined ||
      config.AIRTABLE_TOKEN !== undefined && config.AIRTABLE_BASE_ID !== undefined,
    router: config.ROUTER_API_KEY !== undefined,
    ocr: config.OCR_API_KEY !== undefined,
    websearch: config.WEBSEARCH_API_KEY !== undefined,
    database: true,
    analytics: true,
  }[name];
}

function checkState(
  name: CheckName,
  history: History,
  now: number,
  current: Current,
): Pick<CheckStatus, "state" | "failingSince"> {
  const last = historyDays(now).map((date) => history.get(date)?.[name])
    .find((day) => day !== undefined);
  const isUp = current?.[name] ?? (last === undefined ? null : last.failingSince === null);
  return {
    state: isUp === null ? "unknown" : isUp ? "up" : "down",
    failingSince: isUp === false ? last?.failingSince ?? null : null,
  };
}

function eventsState(
  events: ReturnType<typeof eventsStatus> | null,
  failure: ReadFailure | null,
): CheckState {
  if (failure !== null) return "down";
  if (events === null) return "unknown";
  const isWhole = events.leftOut === 0 && events.lost.length === 0;
  return events.isFresh && isWhole ? "up" : "warning";
}

function eventsStatus(
  { meta, events, leftOut, inPart, lost = [] }: Snapshot,
  refresh: RefreshReport | null,
  now: number,
) {
  const rightUntil = refresh?.rightUntil ?? meta.readAt;
  return {
    readAt: meta.readAt,
    changedAt: meta.changedAt,
    isFresh: now - meta.readAt < LATE_READ_MILLISECONDS,
    /** Until when the snapshot is served if no read succeeds before. */
    servedUntil: rightUntil + MAX_AGE_MILLISECONDS,
    count: events.length,
    ...{ leftOut, inPart, lost },
  };
}
