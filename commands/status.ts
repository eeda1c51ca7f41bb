/** `foyer status`: the status page's content, and details for the operator only. */

import type { Command } from "commander";
import { dayOf } from "../lib/platform/utc_days.ts";
import { readBacklog } from "../lib/proxy/records/outbox.ts";
import { recordLink } from "../lib/events/airtable/table.ts";
import { groupProblems } from "../lib/events/reading/record.ts";
import { readStoredSnapshot } from "../lib/events/keeping/stored.ts";
import { readableUsd } from "../lib/platform/money.ts";
import { spendingInWords } from "../lib/operate/reconcile.ts";
import { readSpending } from "../lib/operate/desk_summary.ts";
import { readStatus } from "../lib/operate/status/report.ts";
import { describeStatus } from "../lib/operate/status/words.ts";
import { counted } from "../lib/platform/text.ts";
import { type Act, subcommand, type Workplace } from "./frame.ts";
import { table, toDayJson } from "./values.ts";

/** Adds the subcommand. */
export function addStatus(foyer: Command, act: Act): void {
  subcommand(
    foyer,
    "status",
    "Show the state of every part, the records left out, failed jobs, and today's spending",
    [
      "status  # for people; it reads only the database",
      "status --json | jq '.leftOut[]'  # the records that need repair",
      "status --json | jq -r .today.spentUsd  # what all accounts have spent today (UTC)",
    ],
  ).action(act(async (place) => {
    const status = await readAll(place);
    return { json: toStatusJson(status), text: renderStatus(status) };
  }));
}

type OperatorStatus = Awaited<ReturnType<typeof readAll>>;

async function readAll({ kv, config, now }: Workplace) {
  const at = now();
  const [report, snapshot, spending, backlog] = await Promise.all([
    readStatus({ kv, config, now: at, current: null }),
    // The report describes a damaged snapshot.
    readStoredSnapshot(kv).catch(() => null),
    readSpending(kv, dayOf(at)),
    readBacklog(kv),
  ]);
  const { SERVICE_DAILY_LIMIT_USD: limit } = config;
  const problems = (snapshot?.problems ?? []).map((problem) => ({
    ...problem,
    link: recordLink(config, problem.recordId),
  }));
  return { report, problems, ...spending, backlog, limit };
}

function toStatusJson(
  { report, problems, today, suspectCosts, backlog, limit }: OperatorStatus,
) {
  const { at, checks, events, failure, refresh, calls, service, jobs } = report;
  const told = problems.map(({ field: column, ...problem }) => ({ column, ...problem }));
  return {
    at,
    checks: checks.map(({ days, ...check }) => ({
      ...check,
      days: days.filter(({ runs }) => runs > 0),
    })),
    events,
    eventsFailure: failure,
    refresh,
    airtableCalls: calls,
    leftOut: told.filter(({ leftOut }) => leftOut),
    shownInPart: told.filter(({ leftOut }) => !leftOut),
    jobs: jobs?.map(({ run, ...job }) => ({
      startedAt: null,
      durationMs: null,
      error: null,
      ...run,
      ...job,
    })) ?? null,
    outbox: { waiting: backlog },
    today: toDayJson(today),
    serviceLimit: service && {
      limitUsd: limit,
      usedUsd: service.used,
      isReached: service.isReached,
    },
    suspectCosts,
  };
}

function renderStatus(
  { report, problems, today, suspectCosts, limit }: OperatorStatus,
): string {
  const { service } = report;
  const { operators, groups, events, reading, jobs } = describeStatus(report);
  return [
    operators.sentence,
    ...operators.others,
    "",
    table(
      groups.flatMap(({ parts }) => parts.map(({ label, now, history }) => [label, now, history])),
    ),
    ...groups.flatMap(({ parts }) => parts.flatMap(({ note }) => note === "" ? [] : [note])),
    ...operators.advice,
    ...(report.failure === null ? [] : [`The last read: ${report.failure.reason}`]),
    "",
    ...events,
    ...reading,
    table(
      groupProblems(problems).map(({ recordIds: [first = "", ...others], ...problem }) => [
        problem.leftOut ? "left out" : "in part",
        others.length === 0 ? first : `${first} and ${others.length} more`,
        problem.field,
        problem.reason,
        problems.find(({ recordId }) => recordId === first)?.link ?? "",
      ]),
    ),
    "",
    jobs === null ? "The jobs cannot be read right now." : table(jobs),
    "",
    today.requests === 0 && today.reserved === 0n
      ? `No requests on ${dayOf(report.at)} (UTC).`
      : `Today: ${spendingInWords(today)}`,
    ...service === null || limit === undefined ? [] : [
      `Limit of all accounts: ${readableUsd(service.used)} of ${readableUsd(limit)} used` +
      (service.isReached ? "; requests are refused" : ""),
    ],
    ...(suspectCosts.length === 0 ? [] : [
      "",
      "Suspect costs: more than ten times what was reserved, or unusable. The warnings in the log",
      "name each request.",
      table(
        suspectCosts.map((
          { accountId, day, requests },
        ) => [day, accountId, counted(requests, "request")]),
      ),
    ]),
  ].join("\n").replaceAll(/\n{3,}/g, "\n\n");
}
