/**
 * Where the service stands, put together from what its parts have stored: the one source of the status
 * page, its markdown and `deno task status`. What cannot be read is null, and the rest is told.
 */

import type { Config } from "../config.ts";
import { readStoredSnapshot } from "../events/source.ts";
import { MAX_AGE_MILLISECONDS } from "../events/values.ts";
import type { Snapshot } from "../events/snapshot.ts";
import {
  CHECK_NAMES,
  type CheckDay,
  type CheckName,
  type HealthDay,
  historyDays,
  readHistory,
} from "../health/history.ts";
import { isJobLate, type JobRun, listJobRuns } from "../jobs.ts";

/** Where the service stands at a moment; times are epoch milliseconds. */
export interface StatusReport {
  readonly at: number;
  readonly checks: readonly CheckStatus[];
  /** Null if nothing is stored, or the database cannot be read. */
  readonly events: EventsStatus | null;
  /** Null if the database cannot be read. */
  readonly jobs: readonly JobStatus[] | null;
}

/** A check now, and on each of the last 90 days. */
export interface CheckStatus {
  readonly name: CheckName;
  /** Null if no run of the checks is known. */
  readonly isUp: boolean | null;
  /** Since when every run has failed; null if the last one did not, or nobody knows. */
  readonly failingSince: number | null;
  /** The latest first. */
  readonly days: readonly DayStatus[];
}

/** A check's day: how many runs there were, and how many of them failed. */
export interface DayStatus {
  readonly date: string;
  readonly runs: number;
  readonly failed: number;
}

/** The events that are served. */
export interface EventsStatus {
  readonly readAt: number;
  readonly changedAt: number;
  readonly isFresh: boolean;
  readonly count: number;
  /** Records that could not become events. */
  readonly leftOut: number;
  /** How many of those records each column has spoilt; nothing of what is in them. */
  readonly columns: readonly { readonly column: string; readonly records: number }[];
}

/** A job and its last run. */
export interface JobStatus {
  readonly name: string;
  /** Null if it has never run. */
  readonly run: JobRun | null;
  /** Whether it should have run again long ago. */
  readonly isLate: boolean;
}

/** What the report is made from. */
export interface StatusSources {
  readonly kv: Deno.Kv;
  readonly config: Config;
  readonly now: number;
  /** What the checks say now; null to take what their last run wrote down. */
  readonly current: Readonly<Record<CheckName, boolean>> | null;
}

/** Puts the report together. It reads the database and asks nobody else. */
export async function readStatus(
  { kv, config, now, current }: StatusSources,
): Promise<StatusReport> {
  const [history, snapshot, runs] = await Promise.all([
    orNull(readHistory(kv, now)),
    orNull(readStoredSnapshot(kv)),
    orNull(listJobRuns(kv)),
  ]);
  return {
    at: now,
    checks: CHECK_NAMES.filter((name) => isUsed(name, config))
      .map((name) => checkStatus(name, history ?? new Map(), now, current)),
    events: snapshot && eventsStatus(snapshot, now),
    jobs: runs && [...runs].map(([name, run]) => ({
      name,
      run,
      isLate: run !== null && isJobLate(name, run.startedAt, now),
    })),
  };
}

/** A part that cannot be read hides no other; why it cannot, the health checks say. */
async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch {
    return null;
  }
}

/** A dependency that is not configured is no part of this service. */
function isUsed(name: CheckName, config: Config): boolean {
  switch (name) {
    case "router":
      return config.ROUTER_API_KEY !== undefined;
    case "ocr":
      return config.OCR_API_KEY !== undefined;
    case "websearch":
      return config.WEBSEARCH_API_KEY !== undefined;
    case "database":
    case "analytics":
      return true;
  }
}

function checkStatus(
  name: CheckName,
  history: ReadonlyMap<string, HealthDay>,
  now: number,
  current: StatusSources["current"],
): CheckStatus {
  const days = historyDays(now).map((date) => ({ date, known: history.get(date)?.[name] }));
  const last: CheckDay | undefined = days.find(({ known }) => known !== undefined)?.known;
  const isUp = current?.[name] ?? (last === undefined ? null : last.failingSince === null);
  return {
    name,
    isUp,
    failingSince: isUp === false ? last?.failingSince ?? null : null,
    days: days.map(({ date, known }) => ({
      date,
      runs: known?.runs ?? 0,
      failed: known?.failed ?? 0,
    })),
  };
}

function eventsStatus({ meta, events, problems }: Snapshot, now: number): EventsStatus {
  const spoilt = problems.filter(({ leftOut }) => leftOut);
  const byColumn = Map.groupBy(spoilt, ({ field }) => field);
  const count = (of: typeof spoilt) => new Set(of.map(({ recordId }) => recordId)).size;
  return {
    readAt: meta.readAt,
    changedAt: meta.changedAt,
    isFresh: now - meta.readAt < MAX_AGE_MILLISECONDS,
    count: events.length,
    leftOut: count(spoilt),
    columns: [...byColumn].map(([column, of]) => ({ column, records: count(of) }))
      .toSorted((a, b) => b.records - a.records),
  };
}
