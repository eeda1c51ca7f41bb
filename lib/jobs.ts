/**
 * The jobs that run beside the requests, and how each run is kept from the others: one isolate at a time
 * (a lease), for a limited time, and its outcome is written down. No bound rests on them alone: a run may
 * be skipped, fire twice, or crash half-way, and the next one goes on.
 */

import { takeLease } from "./kv/lease.ts";
import { retryLocked } from "./kv/open.ts";
import type { Services } from "./services.ts";
import type { Log } from "./telemetry/log.ts";

/** Something that is done every so often. */
export interface Job {
  readonly name: string;
  /** A cron expression, in UTC. */
  readonly schedule: string;
  /** After so many seconds a run counts as failed; it must be one that may be done again. */
  readonly limitSeconds: number;
  run(): Promise<unknown>;
}

/** What is remembered of a job's last run. */
export interface JobRun {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Null if it went well. */
  readonly error: string | null;
}

/** What running a job needs. */
export interface JobOptions {
  readonly kv: Deno.Kv;
  readonly now: () => number;
  readonly log: Pick<Log, "error">;
}

/** Isolates fire at the same minute: whoever comes later finds it done. */
const SAME_RUN_MILLISECONDS = 20_000;

const jobKey = (name: string): Deno.KvKey => ["job", name];

/** Every job of the service. */
export function listJobs({ events, ledger, models, health, outbox }: Services): Job[] {
  const every = (minutes: number) => minutes === 1 ? "* * * * *" : `*/${minutes} * * * *`;
  return [
    { name: "refresh events", schedule: every(1), limitSeconds: 90, run: events.refresh },
    { name: "refresh model lists", schedule: every(2), limitSeconds: 60, run: models.refresh },
    { name: "check health", schedule: every(1), limitSeconds: 20, run: health.refresh },
    {
      name: "charge abandoned reservations",
      schedule: every(1),
      limitSeconds: 60,
      run: ledger.sweep,
    },
    {
      name: "deliver usage records",
      schedule: every(1),
      limitSeconds: 80,
      run: outbox.deliver,
    },
  ];
}

/**
 * Runs a job, unless another isolate does or just did. A failure is logged and kept, not thrown.
 */
export async function runJob(job: Job, { kv, now, log }: JobOptions): Promise<void> {
  const { name, limitSeconds } = job;
  const startedAt = now();
  const lease = await takeLease(kv, `job ${name}`, limitSeconds * 2_000, startedAt);
  if (lease === null) return;
  try {
    const { value: last } = await retryLocked(() => kv.get<JobRun>(jobKey(name)));
    if (last !== null && Math.abs(startedAt - last.startedAt) < SAME_RUN_MILLISECONDS) return;
    const error = await runFor(limitSeconds, job);
    if (error !== null) log.error("A job failed.", { name, error });
    const run: JobRun = { startedAt, durationMs: now() - startedAt, error };
    await retryLocked(() => kv.set(jobKey(name), run));
  } finally {
    await lease.release();
  }
}

/** The last run of each job; null for one that has never run. */
export async function listJobRuns(
  kv: Deno.Kv,
  jobs: readonly Job[],
): Promise<Map<string, JobRun | null>> {
  const entries = await Promise.all(
    jobs.map(({ name }) => retryLocked(() => kv.get<JobRun>(jobKey(name)))),
  );
  return new Map(jobs.map(({ name }, index) => [name, entries[index]?.value ?? null]));
}

async function runFor(seconds: number, job: Job): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(() => resolve(`not done after ${seconds} seconds`), seconds * 1000);
  try {
    return await Promise.race([job.run().then(() => null), promise]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}
