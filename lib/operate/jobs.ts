/**
 * The background jobs. One cron runs whatever is due, in one isolate at a time (by a lease). Each job must run once in
 * two hours, five minutes after it failed, and at a time after requests that gave it work; in between, it runs only
 * where this process knows of work for it, so that an idle service reads one key in five minutes. A run may be skipped,
 * repeated or interrupted: the next one continues, and no promise of the service depends on a single run.
 */

import type { Config } from "../platform/config/config.ts";
import { reservationSeconds } from "../proxy/limits.ts";
import { beginAtomic, commit } from "../platform/kv/write.ts";
import { getEntry } from "../platform/kv/list.ts";
import { takeLease } from "../platform/kv/lease.ts";
import { removeOldRecords } from "./retention.ts";
import type { Services } from "./services.ts";
import type { Log } from "../platform/log.ts";
import type { Platform } from "../platform/platform.ts";
import { withTimeout } from "../platform/timeout.ts";

/** A job. */
export interface Job {
  readonly name: string;
  /** A longer run counts as failed. It is not stopped, so a job must be safe to run twice. */
  readonly limitSeconds: number;
  /** Requests to the proxy give it work: so many seconds after the first of them, it must run. Absent if they do not. */
  readonly secondsAfterRequests?: number;
  /**
   * Whether this process knows of work, so that the job runs before its turn. Asked every five minutes: it must not
   * read the database while nothing has happened.
   */
  readonly isWanted?: () => boolean;
  run(): Promise<unknown>;
}

/** The stored outcome of a job's last run. */
interface JobRun {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Null after success. */
  readonly error: string | null;
}

/** The cron. Deno Deploy finds it when it evaluates `main.ts`, and bills each run, on git branches too. */
export const CRON = { name: "run what is due", schedule: "*/5 * * * *" } as const;

/** The length of a turn: each job runs once in a turn, whether or not there is work. */
export const TURN_MILLISECONDS = 2 * 60 * 60_000;
/** Records that arrive within this time are delivered together. */
const DELIVERY_SECONDS = 60;
/** A job that has not run for this long is late. */
const LATE_MILLISECONDS = 3 * TURN_MILLISECONDS;
/** Several processes start a job in the same minute; a run that began this recently serves for all. */
const SAME_RUN_MILLISECONDS = 20_000;
/** How much longer the lease lasts than all jobs, which run one after the other. */
const LEASE_SLACK_MILLISECONDS = 30_000;

/** The last run of each job, in one value: a look at all of them is one read. */
const RUNS: Deno.KvKey = ["jobs"];

type Runs = Readonly<Record<string, JobRun>>;

const LIMITS = {
  "refresh events": 90,
  "check health": 20,
  "charge abandoned reservations": 60,
  "deliver usage records": 80,
  "remove old records": 120,
  "count accounts": 120,
  "send notices": 60,
} as const;

/** Whether a job is overdue, by the start of its last run (epoch milliseconds). */
export function isJobLate(startedAt: number, now: number): boolean {
  return now - startedAt > LATE_MILLISECONDS;
}

/** Whether jobs run here: everywhere but on git branches and previews of Deno Deploy. */
export function areJobsOn({ hosting }: Config): boolean {
  return !hosting.isSideTimeline;
}

/** Every job of the service. */
export function listJobs(services: Services): Job[] {
  const {
    config,
    events,
    ledger,
    health,
    outbox,
    deskSummary,
    sendNotices,
    log,
  } = services;
  const jobs: Record<keyof typeof LIMITS, Omit<Job, "name" | "limitSeconds">> = {
    "refresh events": { isWanted: events.isWanted, run: events.refresh },
    "check health": { isWanted: health.isDown, run: health.get },
    "charge abandoned reservations": {
      secondsAfterRequests: reservationSeconds(config),
      async run() {
        const count = await ledger.sweep();
        if (count > 0) log.warn("Abandoned reservations were charged.", { count });
      },
    },
    "deliver usage records": {
      secondsAfterRequests: DELIVERY_SECONDS,
      run: async () => await outbox?.deliver(),
    },
    "remove old records": { run: () => removeOldRecords(services) },
    "count accounts": { run: deskSummary.keep },
    "send notices": {
      // Every five minutes, where there is an address: what stands still causes no request.
      isWanted: () => sendNotices !== null,
      run: async () => await sendNotices?.(),
    },
  };
  // Each name has its limit.
  const names = Object.keys(LIMITS) as (keyof typeof LIMITS)[];
  return names.map((name) => ({ name, limitSeconds: LIMITS[name], ...jobs[name] }));
}

/** Creates the runner of this process; neither of its functions throws. */
export function createJobRunner(
  jobs: readonly Job[],
  { kv, now, sleep, log, config }: Pick<Platform, "kv" | "now" | "sleep"> & {
    readonly log: Pick<Log, "error">;
    readonly config: Config;
  },
) {
  const isOn = areJobsOn(config);
  const turnOf = (at: number) => Math.floor(at / TURN_MILLISECONDS);
  /** When jobs must run because of requests to this process (epoch milliseconds), by their names. */
  const times = new Map<string, number>();

  const leaseMilliseconds = LEASE_SLACK_MILLISECONDS +
    1_000 * jobs.reduce((sum, { limitSeconds }) => sum + limitSeconds, 0);

  function isDue({ name, isWanted }: Job, last: JobRun | undefined): boolean {
    return last === undefined || last.error !== null ||
      turnOf(last.startedAt) !== turnOf(now()) || isTime(name) || isWanted?.() === true;
  }

  const isTime = (name: string) => (times.get(name) ?? Infinity) <= now();

  /** Runs those of some jobs that are due, unless another process runs jobs now, and stores their outcomes. */
  async function runThose(some: readonly Job[]): Promise<void> {
    const startedAt = now();
    const findDue = async () => {
      const runs = (await getEntry<Runs>(kv, RUNS)).value ?? {};
      const due = some.filter((job) => {
        const last = runs[job.name];
        const isJustRun = last !== undefined &&
          Math.abs(startedAt - last.startedAt) < SAME_RUN_MILLISECONDS;
        return !isJustRun && isDue(job, last);
      });
      return { runs, due };
    };
    if ((await findDue()).due.length === 0) return;
    const lease = await takeLease(kv, "jobs", leaseMilliseconds, startedAt);
    if (lease === null) return;
    try {
      // Another process may have run them since.
      const { runs, due } = await findDue();
      if (due.length === 0) return;
      const entries: [string, JobRun][] = [];
      for (const job of due) entries.push([job.name, await run(job)]);
      const operation = beginAtomic(kv).set(RUNS, { ...runs, ...Object.fromEntries(entries) });
      await commit(lease.guard(operation));
    } finally {
      await lease.release();
    }
  }

  async function run(job: Job): Promise<JobRun> {
    const { name } = job;
    const startedAt = now();
    // Requests that are booked from here on give it another time.
    times.delete(name);
    const error = await failureOf(job);
    if (error !== null) log.error("A job failed.", { name, cause: error });
    return { startedAt, durationMs: now() - startedAt, error: error?.message ?? null };
  }

  async function report(work: Promise<void>): Promise<void> {
    await work.catch((cause) => log.error("The jobs could not be run.", { cause }));
  }

  return {
    /** Runs the jobs that are due; the cron calls it. */
    async runDue(): Promise<void> {
      if (isOn) await report(runThose(jobs));
    },
    /** Notes that a request was booked, or may have been left by a process before: it sets the jobs' times. */
    wake(): void {
      if (!isOn) return;
      for (const job of jobs) {
        const { name, secondsAfterRequests } = job;
        if (secondsAfterRequests === undefined || times.has(name)) continue;
        times.set(name, now() + 1_000 * secondsAfterRequests);
        // If another process runs jobs just then, the next run of the cron does the work.
        void report(
          sleep(1_000 * secondsAfterRequests).then(() =>
            isTime(name) ? runThose([job]) : undefined
          ),
        );
      }
    },
  };
}

/** The last run of each job; null for one that has never run. */
export async function listJobRuns(kv: Deno.Kv): Promise<Map<string, JobRun | null>> {
  const { value } = await getEntry<Runs>(kv, RUNS);
  return new Map(Object.keys(LIMITS).map((name) => [name, value?.[name] ?? null]));
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
