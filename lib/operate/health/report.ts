/**
 * The health report of `GET /up`. The checks run side by side, once for all requests of a process, and their result is
 * used for half a minute.
 */

import type { Log } from "../../platform/log.ts";
import type { Platform } from "../../platform/platform.ts";
import { withTimeout } from "../../platform/timeout.ts";
import { type Checks, FIGURES, type Figures, type Finding } from "./checks.ts";
import { CHECK_NAMES, type CheckName, createHistoryWriter } from "./history.ts";

/** The health record of `/up` (`static/docs/operate.md`). */
export type HealthRecord = Figures & Readonly<Record<CheckName, boolean>> & {
  readonly status: "up" | "down";
  /** Epoch milliseconds at which the checks began. */
  readonly timestamp: number;
};

/** How old a report may be (`static/docs/operate.md`). */
const MAX_AGE_MILLISECONDS = 30_000;
/**
 * How long a report waits until it is stored, because `/up` answers within six seconds. A database that is slow once is
 * not down. It is down if the previous report is still not stored: a remote database may not answer if its disk is full.
 */
const WRITE_MILLISECONDS = 700;

/** Makes the report. Nothing is checked before the first request for it. */
export function createHealth(
  { checks, areEventsUp, kv, now, startLimit, log }: Pick<Platform, "kv" | "now" | "startLimit"> & {
    readonly checks: Checks;
    /** Whether the last read of the events succeeded, for the history; null if that is not known. */
    readonly areEventsUp: () => Promise<boolean | null>;
    readonly log: Pick<Log, "warn">;
  },
) {
  let last: HealthRecord | null = null;
  let running: Promise<HealthRecord> | null = null;
  let isLeaving = false;
  /** Whether the last report was stored, however long it took. */
  let wasStored = true;
  const writeHistory = createHistoryWriter({ kv, log });

  async function run(): Promise<HealthRecord> {
    const timestamp = now();
    const findings = await runChecks(checks);
    const stored = store(buildRecord(findings, last, timestamp));
    const before = wasStored;
    wasStored = false;
    void stored.then((isStored) => wasStored = isStored);
    const isStored = await withTimeout(WRITE_MILLISECONDS, stored, () => before, startLimit);
    // The check of the database only reads, and so does not notice a full disk.
    if (findings.database.isUp && !isStored) {
      findings.database = { isUp: false, reason: "it cannot be written" };
    }
    for (const [name, { isUp, reason }] of Object.entries(findings)) {
      if (!isUp) log.warn("A check failed.", { name, reason });
    }
    return buildRecord(findings, last, timestamp);
  }

  async function store(record: HealthRecord): Promise<boolean> {
    const events = await areEventsUp().catch(() => null);
    const isUp = events === null ? record : { ...record, events };
    return await writeHistory({ at: record.timestamp, isUp });
  }

  return {
    /** The report, at most thirty seconds old. Resolves within six seconds, whatever is down. */
    async get(): Promise<HealthRecord> {
      if (last === null || Math.abs(now() - last.timestamp) >= MAX_AGE_MILLISECONDS) {
        running ??= run().finally(() => running = null);
        last = await running;
      }
      return isLeaving ? { ...last, status: "down" } : last;
    },
    /** From now on the report says `down`: this process is about to end and to refuse connections. */
    leave(): void {
      isLeaving = true;
    },
    /** Whether a check had failed at the last report of this process. */
    isDown: () => last?.status === "down",
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
 * The record of findings. A figure that is not available right now keeps its value from the previous record; one that
 * was never known is left out.
 */
export function buildRecord(
  findings: Findings,
  previous: HealthRecord | null,
  timestamp: number,
): HealthRecord {
  // Each check has its member, which fromEntries cannot express.
  const isUp = Object.fromEntries(
    CHECK_NAMES.map((name) => [name, findings[name].isUp]),
  ) as Record<CheckName, boolean>;
  return {
    status: CHECK_NAMES.every((name) => isUp[name]) ? "up" : "down",
    ...isUp,
    ...Object.fromEntries(FIGURES.map((name) => [name, previous?.[name]])),
    ...findings.router.figures,
    ...findings.balance.figures,
    ...findings.media.figures,
    timestamp,
  };
}
