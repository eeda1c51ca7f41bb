/** Renders the operator's status. */

import type { Backlog } from "../lib/analytics/mod.ts";
import type { RecordProblem } from "../lib/events/mod.ts";
import {
  adviceInWords,
  CHECK_LABELS,
  checkInWords,
  eventsInWords,
  headlines,
  historyInWords,
  jobInWords,
  runInWords,
  type StatusReport,
} from "../lib/status/mod.ts";
import { formatDay, type Spending, toDayJson } from "./account_view.ts";
import { toLossJson } from "./loss_view.ts";
import { alignColumns, formatCount, printable, toIso } from "./values.ts";

/** What the operator sees. */
interface OperatorStatus {
  readonly report: StatusReport;
  readonly problems: readonly RecordProblem[];
  /** The totals of all accounts together, since midnight UTC. */
  readonly today: Spending;
  /** The suspect costs of the last seven days. */
  readonly suspectCosts: readonly SuspectCosts[];
  /** Usage records that have not reached the analytics store. */
  readonly backlog: Backlog;
}

/** The number of requests with a suspect cost (`lib/accounts/suspect_cost.ts`) in an account's day. */
export interface SuspectCosts {
  readonly accountId: string;
  readonly day: string;
  readonly requests: number;
}

/** The status for `--json`. */
export function toStatusJson(
  { report, problems, today, suspectCosts, backlog }: OperatorStatus,
) {
  const { at, checks, events, failure, jobs } = report;
  return {
    at: toIso(at),
    checks: checks.map(({ name, state, failingSince, days }) => ({
      name,
      state,
      isUp: state === "down" ? false : state === "up" || state === "warning" ? true : null,
      failingSince: toIso(failingSince),
      days: days.filter(({ runs }) => runs > 0),
    })),
    events: events && {
      count: events.count,
      isFresh: events.isFresh,
      lostColumns: events.lostColumns,
      readAt: toIso(events.readAt),
      changedAt: toIso(events.changedAt),
    },
    eventsFailure: failure && {
      ...failure,
      at: toIso(failure.at),
      since: toIso(failure.since),
      loss: failure.loss && toLossJson(failure.loss),
    },
    leftOut: problems.filter(({ leftOut }) => leftOut).map(toProblemJson),
    shownInPart: problems.filter(({ leftOut }) => !leftOut).map(toProblemJson),
    jobs: jobs?.map(({ name, run, isLate }) => ({
      name,
      startedAt: toIso(run?.startedAt ?? null),
      durationMs: run?.durationMs ?? null,
      error: run?.error ?? null,
      isLate,
    })) ?? null,
    usagePages: { waiting: backlog.waiting, aside: backlog.setAside },
    today: toDayJson(today),
    suspectCosts,
  };
}

function toProblemJson({ recordId, field, reason }: RecordProblem) {
  return { recordId, column: field, reason };
}

/** The status for people. */
export function renderStatus(
  { report, problems, today, suspectCosts, backlog }: OperatorStatus,
): string {
  const { at, checks, events, jobs } = report;
  return [
    ...headlines(report),
    ...(backlog.setAside === 0 ? [] : [
      `Batches of usage records set aside: ${backlog.setAside}; see: deno task analytics status`,
    ]),
    "",
    ...alignColumns(
      checks.map((
        check,
      ) => [CHECK_LABELS[check.name], checkInWords(check, at), historyInWords(check)]),
    ),
    ...checks.flatMap((check) => adviceInWords(check, report)).map(printable),
    ...(report.failure === null ? [] : [`The last read: ${printable(report.failure.reason)}`]),
    "",
    ...eventsInWords(events, at).map(printable),
    ...alignColumns(
      problems.map(({ recordId, field, reason, leftOut }) =>
        [leftOut ? "left out" : "in part", recordId, field, reason].map(printable)
      ),
    ),
    "",
    ...alignColumns(
      (jobs ?? []).map((job) =>
        [job.name, jobInWords(job), ...runInWords(job, at), job.run?.error ?? ""].map(printable)
      ),
    ),
    "",
    `Today: ${formatDay(today)}`,
    ...(suspectCosts.length === 0 ? [] : [
      "",
      "Suspect costs: more than ten times what was reserved, or unusable. The warnings in the log",
      "name each request.",
      ...alignColumns(
        suspectCosts.map((
          { accountId, day, requests },
        ) => [day, accountId, formatCount(requests, "request")]),
      ),
    ]),
  ].join("\n");
}
