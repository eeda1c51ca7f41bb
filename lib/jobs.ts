/**
 * The background jobs. A job runs in one isolate at a time (by a lease) for a limited time, and its outcome is stored.
 * A run may be skipped, repeated or interrupted: the next one continues, and no promise of the service depends on
 * a single run.
 */

import { getPause } from "./analytics/mod.ts";
import { getEntries, getEntry, setEntry, takeLease } from "./kv/mod.ts";
import type { Services } from "./services.ts";
import type { Log } from "./telemetry/mod.ts";
import { withTimeout } from "./timeout.ts";

/** A job that runs at intervals. */
export interface Job {
  readonly name: string;
  /** A cron expression, in UTC. */
  readonly schedule: string;
  /** A longer run counts as failed. It is not stopped, so a job must be safe to run twice. */
  readonly limitSeconds: number;
  run(): Promise<unknown>;
}

/** The stored outcome of a job's last run. */
export interface JobRun {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Null after success. */
  readonly error: string | null;
}

/** All isolates start a job in the same minute; a run that began this recently serves for all. */
const SAME_RUN_MILLISECONDS = 20_000;

const jobKey = (name: string): Deno.KvKey => ["job", name];

/** The interval of each job, and its time limit. */
const TIMES = [
  { name: "refresh events", minutes: 1, limitSeconds: 90 },
  { name: "refresh model lists", minutes: 2, limitSeconds: 60 },
  { name: "check health", minutes: 1, limitSeconds: 20 },
  { name: "charge abandoned reservations", minutes: 1, limitSeconds: 60 },
  { name: "deliver usage records", minutes: 1, limitSeconds: 80 },
  { name: "remove old records", minutes: 60, limitSeconds: 240 },
] as const;

/** Whether a job is overdue, by the start of its last run (epoch milliseconds). */
export function isJobLate(name: string, startedAt: number, now: number): boolean {
  const minutes = TIMES.find((job) => job.name === name)?.minutes ?? 1;
  return now - startedAt > Math.max(10, 3 * minutes) * 60_000;
}

/** Every job of the service. */
export function listJobs(services: Services): Job[] {
  const { events, ledger, models, health, outbox, removeOldRecords, kv, log } = services;
  const runs: Record<typeof TIMES[number]["name"], Job["run"]> = {
    "refresh events": async () => {
      const error = await events.refresh();
      if (error !== null) throw error;
    },
    "refresh model lists": models.refresh,
    "check health": health.refresh,
    "charge abandoned reservations": async () => {
      const count = await ledger.sweep();
      if (count > 0) log.warn("Abandoned reservations were charged.", { count });
    },
    "deliver usage records": async () => {
      await outbox.deliver();
      const pause = await getPause(kv);
      if (pause === null) return;
      const { failures, reason = "see the log of that time" } = pause;
      throw new Error(`the analytics store has failed ${failures} times in a row: ${reason}`);
    },
    "remove old records": removeOldRecords,
  };
  return TIMES.map(({ name, minutes, limitSeconds }) => {
    const schedule = minutes === 60 ? "0 * * * *" : `*/${minutes} * * * *`;
    return { name, schedule, limitSeconds, run: runs[name] };
  });
}

/**
 * Runs a job, unless another isolate is running it or has just run it. Never throws: a job's failure is logged and
 * stored, and a failure of the database is logged.
 */
export async function runJob(job: Job, { kv, now, log }: {
  readonly kv: Deno.Kv;
  readonly now: () => number;
  readonly log: Pick<Log, "error">;
}): Promise<void> {
  const { name, limitSeconds } = job;
  const startedAt = now();
  try {
    const lease = await takeLease(kv, `job ${name}`, limitSeconds * 2_000, startedAt);
    if (lease === null) return;
    try {
      const { value: last } = await getEntry<JobRun>(kv, jobKey(name));
      if (last !== null && Math.abs(startedAt - last.startedAt) < SAME_RUN_MILLISECONDS) return;
      const error = await failureOf(job);
      if (error !== null) log.error("A job failed.", { name, cause: error });
      const durationMs = now() - startedAt;
      const run: JobRun = { startedAt, durationMs, error: error?.message ?? null };
      await setEntry(kv, jobKey(name), run);
    } finally {
      await lease.release();
    }
  } catch (cause) {
    log.error("A job could not be run.", { name, cause });
  }
}

/** The last run of each job; null for one that has never run. */
export async function listJobRuns(kv: Deno.Kv): Promise<Map<string, JobRun | null>> {
  const entries = await getEntries<JobRun>(kv, TIMES.map(({ name }) => jobKey(name)));
  return new Map(TIMES.map(({ name }, index) => [name, entries[index]?.value ?? null]));
}

async function failureOf({ run, limitSeconds }: Job): Promise<Error | null> {
  const late = () => {
    throw new Error(`not done after ${limitSeconds} seconds`);
  };
  try {
    await withTimeout(limitSeconds * 1000, run(), late);
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
