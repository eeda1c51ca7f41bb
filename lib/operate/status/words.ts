/**
 * The state of the service in words: one description, of which the status page and its markdown show what concerns
 * visitors, and `deno task status` everything.
 */

import type { RefreshReport } from "../../events/keeping/freshness.ts";
import {
  lossInWords,
  LOST_COLUMN_REMEDY,
  lostColumnInWords,
  remedyInWords,
} from "../../events/reading/loss.ts";
import type { ReadFailure } from "../../events/keeping/failure.ts";
import type { WatchedName } from "../health/history.ts";
import { counted, grouped } from "../../platform/text.ts";
import { durationInWords, formatMinute } from "../../platform/time.ts";
import type { CheckStatus, DayStatus, JobStatus, StatusReport } from "./report.ts";

/** A part of the service as visitors know it. */
interface StatusPart {
  readonly label: string;
  /** The subject of a sentence about it. */
  readonly subject: string;
  readonly purpose: string;
}

const PARTS: Readonly<Record<WatchedName | "decision", StatusPart>> = {
  events: {
    label: "Events",
    subject: "The events store",
    purpose: "The events on this site, in calendars, in feeds and in the API.",
  },
  websearch: {
    label: "Web search",
    subject: "Web search",
    purpose: "Finds pages on the web, reads them, and answers questions from them.",
  },
  decision: {
    label: "Structured decisions",
    subject: "Structured decisions",
    purpose: "Answers questions about a text or a picture with one of the given choices.",
  },
  router: {
    label: "Model lists",
    subject: "The source of the model lists",
    purpose: "Lists the AI models and their prices.",
  },
  database: {
    label: "Database",
    subject: "The database",
    purpose: "Stores the events, the keys, and the spending of each account.",
  },
  analytics: {
    label: "Usage records",
    subject: "The store of usage records",
    purpose: "Records each request and its cost.",
  },
  ocr: {
    label: "Text recognition (OCR)",
    subject: "Text recognition (OCR)",
    purpose: "Reads the text in pictures and in scanned pages.",
  },
};

/** The name of a check for people. */
export function labelOf(check: WatchedName): string {
  return PARTS[check].label;
}

/** The parts in the order in which visitors meet them. */
const GROUPS: readonly {
  readonly id: string;
  readonly heading: string;
  readonly about: string;
  readonly parts: readonly (WatchedName | "decision")[];
}[] = [
  { id: "events", heading: "Events", about: "", parts: ["events"] },
  { id: "proxy", heading: "AI proxy", about: "", parts: ["websearch", "decision", "router"] },
  { id: "records", heading: "Storage", about: "", parts: ["database", "analytics"] },
  {
    id: "others",
    heading: "Watched for others",
    about: "This service does not offer this itself. It watches it for other programs.",
    parts: ["ocr"],
  },
];

interface Problem {
  /** The state of the whole that it causes. */
  readonly state: "down" | "warning" | "unknown";
  readonly sentence: string;
  /** The operator's remedies, a sentence each. */
  readonly advice: readonly string[];
  /** Whether visitors are told: not of what has no effect on them. */
  readonly isPublic: boolean;
}

/** The description of a report. */
export type StatusDescription = ReturnType<typeof describeStatus>;

/** Describes a report. */
export function describeStatus(report: StatusReport) {
  const { at, checks, calls, jobs, refresh } = report;
  const problems = findProblems(report);
  const configured = checks.filter(({ state }) => state !== "unconfigured");
  const daysWithRuns = (configured[0]?.days ?? []).flatMap(({ date }, index) => {
    const days = configured.flatMap(({ days }) => days[index] ?? []);
    return days.some(({ runs }) => runs > 0) ? [[date, ...days.map(dayInWords)] as const] : [];
  });
  return {
    made: `As of ${formatMinute(at)}.`,
    /** The verdict for visitors, and the one for operators with the advice on it. */
    verdict: verdictOf(report, problems.filter(({ isPublic }) => isPublic)),
    operators: {
      ...verdictOf(report, problems),
      advice: problems.flatMap(({ advice }) => advice),
    },
    groups: GROUPS.map(({ parts, ...group }) => ({
      ...group,
      parts: parts.map((name) => describePart(name, report))
        .filter(({ state }) => group.id !== "others" || state !== "unconfigured"),
    })).filter(({ parts }) => parts.length > 0),
    events: eventsInWords(report),
    /** The days with any run, the latest first, with the result of each configured check. */
    days: { head: ["Day", ...configured.map(({ name }) => labelOf(name))], rows: daysWithRuns },
    /** For operators: how the events are read. */
    reading: [
      ...refresh === null || isUnconfigured(report) ? [] : [`${ruleInWords(refresh)}.`],
      ...calls === null ? [] : [`${callsInWords(calls)}.`],
    ],
    /** For operators: each job with its last run and that run's error; null if they cannot be read. */
    jobs:
      jobs?.map((job) =>
        [job.name, jobInWords(job), ...runInWords(job, at), job.run?.error ?? ""] as const
      ) ?? null,
  };
}

/** A part as the page shows it: its state, in words too, and its days; a null state if it is not watched. */
function describePart(name: WatchedName | "decision", report: StatusReport) {
  const { label, purpose } = PARTS[name];
  const check = report.checks.find((each) => each.name === name);
  const isConfigured = check !== undefined && check.state !== "unconfigured";
  const common = { name, label, purpose, note: name === "events" ? servedInWords(report) : "" };
  if (isConfigured) {
    const { state, days } = check;
    const now = stateInWords(check, report.at);
    return { ...common, state, now, history: historyInWords(days), days };
  }
  // The model lists are public: without a key they work, but their source is not checked.
  const isUnwatched = check === undefined || name === "router";
  // The events are required, other parts are not.
  const state = isUnwatched ? null : name === "events" ? "down" as const : "unconfigured" as const;
  return {
    ...common,
    state,
    now: isUnwatched ? "not watched" : "not configured",
    history: "",
    days: [],
  };
}

function stateInWords(check: CheckStatus, now: number): string {
  if (check.state === "down") return failingInWords(check, now);
  if (check.state === "up") return "works";
  if (check.state === "warning") return "works, but needs attention";
  return check.name === "events" ? "not read yet" : "not checked yet";
}

/** Until when events are shown that can no longer be read; "" while they can. */
function servedInWords({ events, failure, at }: StatusReport): string {
  if (failure === null) return "";
  return events !== null && at < events.servedUntil
    ? `The events are shown as last read until ${formatMinute(events.servedUntil).slice(11)}.`
    : "No events can be shown until they can be read again.";
}

/** The verdict on the whole service: its colour, a sentence, and the other problems. */
function verdictOf({ checks }: StatusReport, problems: readonly Problem[]): {
  readonly state: Problem["state"] | "up";
  readonly sentence: string;
  readonly others: readonly string[];
} {
  const [sentence, ...others] = problems.map(({ sentence }) => sentence);
  if (sentence === undefined) {
    const isWhole = checks.every(({ state }) => state !== "unconfigured");
    const what = isWhole ? "Everything" : "Everything that is configured";
    return { state: "up", sentence: `${what} works.`, others };
  }
  const state = (["down", "warning"] as const).find((each) =>
    problems.some(({ state }) => state === each)
  );
  return { state: state ?? "unknown", sentence, others };
}

/** The problems of the service: its own parts that fail, then everything else. */
function findProblems(report: StatusReport): readonly Problem[] {
  const { checks, at, events, failure, refresh, service, jobs } = report;
  const problems: Problem[] = [];
  const add = (
    state: Problem["state"],
    sentence: string,
    advice: readonly string[] = [],
    isPublic = true,
  ) => void problems.push({ state, sentence, advice, isPublic });
  if (isUnconfigured(report)) {
    add("down", "The events store is not configured.", [
      "Set AIRTABLE_TOKEN and AIRTABLE_BASE_ID, or EVENTS_FILE.",
    ]);
  }
  if (!report.isDatabaseLasting) {
    add("down", "The AI proxy is off: there is no proof that its database lasts.", [
      "A temporary database is lost with its process. Assign a Deno KV database to the app, and create the " +
      "first account with deno task accounts create from another machine.",
    ]);
  }
  const isForOthers = ({ name }: CheckStatus) => name === "ocr";
  const failing = checks.filter(({ state }) => state === "down");
  for (const check of failing.toSorted((a, b) => Number(isForOthers(a)) - Number(isForOthers(b)))) {
    add(
      isForOthers(check) ? "warning" : "down",
      `${PARTS[check.name].subject} ${failingInWords(check, at)}.`,
      check.name === "events" && failure !== null ? adviceOn(failure, at) : [],
    );
  }
  if (events !== null && failure === null) {
    const { isFresh, readAt, leftOut, inPart, lost } = events;
    // As loudly as a read that failed: nobody else notices that a column has another name.
    for (const column of lost) add("down", lostColumnInWords(column), [LOST_COLUMN_REMEDY], false);
    if (!isFresh) {
      add("warning", `The events were last read ${durationInWords(at - readAt)} ago.`, [
        "The next request reads them; between requests, the job “refresh events” does.",
      ]);
    }
    if (leftOut > 0) {
      add("warning", `${counted(leftOut, "record")} of the events store cannot be shown.`, [
        "The records, the columns and the reasons are below.",
      ]);
    }
    if (inPart > 0) {
      const sentence = `${counted(inPart, "event")} ${
        inPart === 1 ? "is" : "are"
      } shown without a cell.`;
      add("warning", sentence, ["The columns and the reasons are below."], false);
    }
    if (refresh !== null && refresh.problem !== null) {
      const sentence = "Airtable does not report changes, so the events are polled.";
      add("warning", sentence, [refresh.problem], false);
    }
  }
  if (service?.isReached) {
    add("warning", "The AI proxy's daily limit for all accounts is reached until 00:00 UTC.");
  }
  for (const sentence of jobsInWords(jobs ?? [])) add("warning", sentence, [], false);
  for (const sentence of notYetInWords(report)) add("unknown", sentence);
  return problems;
}

/** Whether the events, which are required, have no store. */
function isUnconfigured({ checks }: StatusReport): boolean {
  return checks.some(({ name, state }) => name === "events" && state === "unconfigured");
}

/** The parts that have done nothing since the service was set up, in words. */
function notYetInWords({ checks, isReadable }: StatusReport): readonly string[] {
  if (!isReadable) return ["Some of the state cannot be read from the database right now."];
  const configured = checks.filter(({ state }) => state !== "unconfigured");
  const unknown = configured.filter(({ state }) => state === "unknown");
  if (unknown.length === configured.length) return ["Nothing has been checked yet."];
  const others = unknown.filter(({ name }) => name !== "events").map(({ name }) => labelOf(name));
  return [
    ...unknown.length > others.length ? [NOT_READ] : [],
    ...others.length > 0 ? [`Not checked yet: ${others.join(", ")}.`] : [],
  ];
}

const NOT_READ = "The events have not been read yet.";

/** The problems of the jobs: their table has the errors. */
function jobsInWords(jobs: readonly JobStatus[]): readonly string[] {
  const late = jobs.filter(({ isLate }) => isLate);
  const failed = jobs.filter(({ run, isLate }) => !isLate && run !== null && run.error !== null);
  return ([["Late", late], ["Failed", failed]] as const).flatMap(([what, of]) =>
    of.length === 0 ? [] : [`${what} jobs: ${of.map(({ name }) => name).join(", ")}.`]
  );
}

/** The sentence about each fault of a read, but for a loss. */
const FAULTS: Readonly<Record<Exclude<ReadFailure["fault"], "loss">, string>> = {
  refused:
    "The record store rejects the credentials or does not know the table. Check AIRTABLE_TOKEN, " +
    "AIRTABLE_BASE_ID, AIRTABLE_TABLE and AIRTABLE_VIEW.",
  rate_limited:
    "The record store limits our calls. If this persists, raise EVENTS_REFRESH_SECONDS.",
  quota:
    "The calls of Airtable's API are used up for this month: it is asked again hourly. Choose a plan with " +
    "more calls, raise AIRTABLE_CALLS_PER_MONTH if that is the limit, or name a view with fewer records.",
  unavailable: "The record store cannot be reached or is too slow. The log has the reason.",
  nonsense: "The record store's response is not a list of records. The log has the reason.",
};

function adviceOn({ fault, loss }: ReadFailure, now: number): readonly string[] {
  if (fault !== "loss") return [FAULTS[fault]];
  if (loss === null) return [];
  return [
    `${lossInWords(loss)}.`,
    loss.acceptedUntil !== null && now < loss.acceptedUntil
      ? "An operator has accepted this loss: the next read applies it."
      : `${remedyInWords(loss)}. If the loss is intended, accept it at /desk/events, or run: ` +
        "deno task events accept",
  ];
}

function failingInWords({ failingSince }: CheckStatus, now: number): string {
  if (failingSince === null) return "fails";
  return `has been failing for ${durationInWords(now - failingSince)}`;
}

/** The state of a check on a day, for its colour and shape. */
export function dayState({ runs, failed }: DayStatus): "none" | "up" | "partly" | "down" {
  if (runs === 0) return "none";
  if (failed === 0) return "up";
  return failed === runs ? "down" : "partly";
}

/** A day's runs in words. */
export function dayInWords({ runs, failed }: DayStatus): string {
  if (runs === 0) return "no data";
  return `${failed === 0 ? "none" : grouped(failed)} of ${grouped(runs)} failed`;
}

/** The 90 days of a check in a phrase, the text alternative of its chart. */
function historyInWords(days: readonly DayStatus[]): string {
  const known = days.filter(({ runs }) => runs > 0);
  const troubled = known.filter(({ failed }) => failed > 0).length;
  const without = days.length - known.length;
  if (known.length === 0) return `Last ${days.length} days: no data`;
  return `Last ${days.length} days: ` +
    (troubled === 0 ? "no failures" : `failures on ${counted(troubled, "day")}`) +
    (without === 0 ? "" : `, no data for ${counted(without, "day")}`);
}

/** The rule by which the events are read. */
function ruleInWords({ isWanted, isNotified, intervalSeconds }: RefreshReport): string {
  if (isNotified) return "Airtable reports changes; without any, the table is read hourly";
  const until = isWanted ? "until Airtable reports changes" : "while there are requests";
  return `The table is read every ${grouped(intervalSeconds)} seconds ${until}`;
}

/** "Calls of Airtable's API in 2026-11: 812 of 1,000". */
function callsInWords({ month, calls, budget }: NonNullable<StatusReport["calls"]>): string {
  const of = budget === null ? "" : ` of ${grouped(budget)}`;
  return `Calls of Airtable's API in ${month}: ${grouped(calls)}${of}`;
}

/** The facts of the stored events, a line each. */
function eventsInWords({ events, isReadable, checks, at }: StatusReport): readonly string[] {
  if (events === null) {
    if (!isReadable) return ["The events cannot be read from the database right now."];
    return checks.some(({ name, state }) => name === "events" && state === "unknown")
      ? [NOT_READ]
      : [];
  }
  const { count, readAt, changedAt, leftOut, inPart } = events;
  return [
    counted(count, "event"),
    `Last read ${momentInWords(readAt, at)}`,
    `Last changed ${momentInWords(changedAt, at)}`,
    leftOut + inPart === 0
      ? "Every record is shown whole"
      : `${grouped(inPart)} shown without a cell, ${counted(leftOut, "record")} left out`,
  ];
}

/** The outcome of a job's last run, without its error. */
function jobInWords({ run, isLate }: JobStatus): string {
  const outcome = run === null ? "not run yet" : run.error === null ? "succeeded" : "failed";
  return isLate ? `${outcome}, and late` : outcome;
}

/** The start and the duration of a job's last run. */
function runInWords({ run }: JobStatus, now: number): [at: string, took: string] {
  if (run === null) return ["", ""];
  return [momentInWords(run.startedAt, now), `${(run.durationMs / 1_000).toFixed(1)} s`];
}

/** A moment in the past: "2026-11-21 12:00 UTC, 3 minutes ago". */
function momentInWords(at: number, now: number): string {
  return `${formatMinute(at)}, ${durationInWords(now - at)} ago`;
}
