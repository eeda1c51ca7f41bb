/**
 * The health report of `GET /up`. The checks run side by side, once for
 * all isolates and requests, and their result is used for half a minute.
 */

import { type Copy, createSharedCopy } from "../../platform/kv/shared_copy.ts";
import type { Log } from "../../platform/log.ts";
import { type StartTimer, withTimeout } from "../../platform/timeout.ts";
import { type Checks, FIGURES, type Figures, type Finding } from "./checks.ts";
import { CHECK_NAMES, type CheckName, createHistoryWriter } from "./history.ts";

/** The health record of `/up` (`static/docs/proxy.md`). */
export type HealthRecord = Figures & Readonly<Record<CheckName, boolean>> & {
  readonly status: "up" | "down";
  /** Epoch milliseconds at which the checks began. */
  readonly timestamp: number;
};

/** How old a report may be (`static/docs/proxy.md`). */
const MAX_AGE_MILLISECONDS = 30_000;
/** How long `/up` waits for the database and for the shared report: it has to answer within six seconds. */
const DATABASE_PATIENCE_MILLISECONDS = 700;
const REPORT_PATIENCE_MILLISECONDS = 5_200;
/** How long the report waits until the history is written; it is sent even if that fails. */
const HISTORY_PATIENCE_MILLISECONDS = 300;

/** Makes the report. Nothing is checked before the first request for it. */
export function createHealth(
  { checks, readDatabase, areEventsUp, kv, now, sleep, startLimit, log }: {
    readonly checks: Checks;
    /** The checks that read the database, which an idle service does not. */
    readonly readDatabase: readonly CheckName[];
    /** Whether the last read of the events succeeded, for the history; null if that is not known. */
    readonly areEventsUp: () => Promise<boolean | null>;
    readonly kv: Deno.Kv;
    readonly now: () => number;
    readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
    /** Starts a time limit; a timer of the platform unless given. */
    readonly startLimit?: StartTimer;
    readonly log: Pick<Log, "warn" | "error">;
  },
) {
  /** The last report of this process, used while the database does not respond. */
  let last: HealthRecord | null = null;
  /** The report of the last checks that this process ran. */
  let found: HealthRecord | null = null;
  let running: Promise<HealthRecord> | null = null;
  let isLeaving = false;

  const history = createHistoryWriter({ kv, log });
  const outside = CHECK_NAMES.filter((name) => !readDatabase.includes(name));
  const shared = createSharedCopy<HealthRecord>({
    kv,
    name: "health",
    read: (previous) => run(previous),
    freshMilliseconds: MAX_AGE_MILLISECONDS,
    leaseMilliseconds: 10_000,
    now,
    sleep,
    log,
  });

  async function run(previous: HealthRecord | null, canShare = true): Promise<HealthRecord> {
    const timestamp = now();
    const findings = await runChecks(checks);
    // The check of the database only reads, and so does not notice a full disk.
    if (!canShare) findings.database = { isUp: false, reason: "it cannot be written" };
    for (const [name, { isUp, reason }] of Object.entries(findings)) {
      if (!isUp) log.warn("A check failed.", { name, reason });
    }
    const record = buildRecord(findings, previous ?? last, timestamp);
    const written = addToHistory(record);
    await withTimeout(HISTORY_PATIENCE_MILLISECONDS, written, () => undefined, startLimit);
    found = record;
    return record;
  }

  async function addToHistory(record: HealthRecord): Promise<void> {
    // A database that does not respond fails its own check.
    const events = await areEventsUp().catch(() => null);
    const isUp = events === null ? record : { ...record, events };
    await history.write({ at: record.timestamp, isUp });
  }

  /** The shared report; if the database does not let isolates share one, a report of this process. */
  async function fetchReport(): Promise<HealthRecord> {
    const asked = checks.database().then(({ isUp }) => isUp);
    if (!await withTimeout(DATABASE_PATIENCE_MILLISECONDS, asked, () => false, startLimit)) {
      return await run(null);
    }
    try {
      const copy = await withTimeout<Copy<HealthRecord> | null>(
        REPORT_PATIENCE_MILLISECONDS,
        Promise.resolve(shared.get()),
        () => null,
        startLimit,
      );
      if (copy !== null) return copy.value;
      log.error("The health report cannot be shared: the database is too slow.");
      // The checks have ended: only sharing their result takes too long.
      if (found !== null && isYoung(found)) return found;
    } catch (cause) {
      log.error("The health report cannot be shared.", { cause });
      return await run(null, false);
    }
    return buildRecord(null, last, now());
  }

  const isYoung = (record: HealthRecord) =>
    Math.abs(now() - record.timestamp) < MAX_AGE_MILLISECONDS;

  return {
    /** The report, at most thirty seconds old. Resolves within six seconds, whatever is down. */
    async get(): Promise<HealthRecord> {
      if (last === null || !isYoung(last)) {
        running ??= fetchReport().finally(() => running = null);
        last = await running;
      }
      return isLeaving ? { ...last, status: "down" } : last;
    },
    /** From now on the report says `down`: this process is about to end and to refuse connections. */
    leave(): void {
      isLeaving = true;
    },
    /** Runs the checks for the history, whether or not a request has asked for a report. */
    async record(): Promise<void> {
      await run(last);
    },
    /**
     * Runs the checks that do not read the database: whether one fails, or failed in this process before. That all
     * succeed is noted in memory, for the history.
     */
    async hasNews(): Promise<boolean> {
      const at = now();
      const results = await Promise.all(
        outside.map(async (name) => [name, (await checks[name]()).isUp] as const),
      );
      if (found?.status === "down" || results.some(([, isUp]) => !isUp)) return true;
      history.note({ at, isUp: Object.fromEntries(results) });
      return false;
    },
  };
}

/** The findings of the checks by their names. */
type Findings = Record<keyof Checks, Finding>;

/** Runs all checks side by side. */
export async function runChecks(checks: Checks): Promise<Findings> {
  const found = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await check()] as const),
  );
  // Each check has its finding, which fromEntries cannot express.
  return Object.fromEntries(found) as Findings;
}

/**
 * The record of findings; without findings, every check counts as failed. A figure that is not available
 * right now keeps its value from the previous record; one that was never known is left out.
 */
export function buildRecord(
  findings: Findings | null,
  previous: HealthRecord | null,
  timestamp: number,
): HealthRecord {
  // Each check has its member, which fromEntries cannot express.
  const isUp = Object.fromEntries(
    CHECK_NAMES.map((name) => [name, findings?.[name].isUp ?? false]),
  ) as Record<CheckName, boolean>;
  return {
    status: CHECK_NAMES.every((name) => isUp[name]) ? "up" : "down",
    ...isUp,
    ...Object.fromEntries(FIGURES.map((name) => [name, previous?.[name]])),
    ...findings?.router.figures,
    ...findings?.balance.figures,
    ...findings?.media.figures,
    timestamp,
  };
}
