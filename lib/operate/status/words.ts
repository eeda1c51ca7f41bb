/** The status in words, for the page, its markdown and `deno task status`. */

import {
  type CallsOfMonth,
  lossInWords,
  type ReadFailure,
  type RefreshReport,
  remedyInWords,
} from "../../events/mod.ts";
import type { WatchedName } from "../health/history.ts";
import { dayOf } from "../../proxy/mod.ts";
import { formatMinute } from "../../platform/time.ts";
import type { CheckStatus, DayStatus, JobStatus, StatusReport } from "./report.ts";

/** The name of each check for visitors. */
export const CHECK_LABELS: Readonly<Record<WatchedName, string>> = {
  events: "Events",
  database: "Database",
  analytics: "Usage records",
  router: "Model lists",
  ocr: "Text recognition (OCR)",
  websearch: "Web search",
};

/** The subject of each check's sentence. */
const SUBJECTS: Readonly<Record<WatchedName, string>> = {
  events: "The events store",
  database: "The database",
  analytics: "The store of usage records",
  router: "The source of the model lists",
  ocr: CHECK_LABELS.ocr,
  websearch: CHECK_LABELS.websearch,
};

/** A part of the service as visitors know it, with its purpose. */
interface Part {
  /** Null for structured decisions, whose provider is not checked. */
  readonly check: WatchedName | null;
  readonly label: string;
  readonly purpose: string;
}

function part(check: WatchedName, purpose: string): Part {
  return { check, label: CHECK_LABELS[check], purpose };
}

/** The parts in the order in which visitors meet them. */
const PART_GROUPS: readonly {
  readonly id: string;
  readonly heading: string;
  /** An explanation, where the parts need one. */
  readonly about?: string;
  readonly parts: readonly Part[];
}[] = [
  {
    id: "events",
    heading: "Events",
    parts: [part("events", "The programme on this site, in calendars, in feeds and in the API.")],
  },
  {
    id: "proxy",
    heading: "AI proxy",
    parts: [
      part("websearch", "Finds pages on the web, reads them, and answers questions from them."),
      {
        check: null,
        label: "Structured decisions",
        purpose: "Answers questions about a text or a picture with one of the given choices.",
      },
      part("router", "Lists the AI models and their prices."),
    ],
  },
  {
    id: "records",
    heading: "Storage",
    parts: [
      part("database", "Stores the events, the keys, and the spending of each account."),
      part("analytics", "Records each request and its cost."),
    ],
  },
  {
    id: "others",
    heading: "Watched for others",
    about: "This service does not offer this itself. It watches it for other programs.",
    parts: [part("ocr", "Reads the text in pictures and in scanned pages.")],
  },
];

/**
 * The groups of {@linkcode PART_GROUPS} with their checks; a part that is only watched for others is left out if it
 * is not configured.
 */
export function partGroups({ checks }: StatusReport) {
  return PART_GROUPS.map((group) => ({
    ...group,
    parts: group.parts.map((part) => ({
      ...part,
      check: checks.find(({ name }) => name === part.check) ?? null,
    })).filter(({ check }) => group.id !== "others" || check?.state !== "unconfigured"),
  })).filter(({ parts }) => parts.length > 0);
}

/** Events are required, so an unconfigured events store is red too; other providers are optional. */
export function stateColor({ name, state }: CheckStatus): CheckStatus["state"] {
  return name === "events" && state === "unconfigured" ? "down" : state;
}

/**
 * The verdict on the whole service: a sentence, its colour, and the other problems. It is red only for the service's
 * own parts, which come first.
 */
export function verdictOf(report: StatusReport): {
  readonly state: "up" | "warning" | "down" | "unknown";
  readonly sentence: string;
  readonly others: readonly string[];
} {
  const { checks, jobs, at, isDatabaseLasting } = report;
  const failing = checks.filter(({ state }) => state === "down");
  const own = failing.filter((check) => !isForOthers(check));
  const watched = failing.filter(isForOthers);
  const unconfigured = checks.filter(({ state }) => state === "unconfigured");
  const hasEvents = !unconfigured.some(({ name }) => name === "events");
  const [sentence, ...others] = [
    ...(hasEvents ? [] : ["The events store is not configured."]),
    ...(isDatabaseLasting
      ? []
      : ["The AI proxy is off: there is no proof that its database lasts."]),
    ...[...own, ...watched].map((check) => `${SUBJECTS[check.name]} ${failingInWords(check, at)}.`),
    ...concernsOf(report).map(({ concern }) => concern),
    ...report.service?.isReached
      ? ["The AI proxy's daily limit for all accounts is reached until 00:00 UTC."]
      : [],
    ...jobsInWords(jobs ?? []),
  ];
  if (sentence !== undefined) {
    const isDown = own.length > 0 || !hasEvents || !isDatabaseLasting;
    return { state: isDown ? "down" : "warning", sentence, others };
  }
  const unknown = checks.filter(({ state }) => state === "unknown");
  if (unknown.length > 0) {
    const sentence = unknown.length + unconfigured.length === checks.length
      ? "Nothing has been checked yet."
      : `Not checked yet: ${unknown.map(({ name }) => CHECK_LABELS[name]).join(", ")}.`;
    return { state: "unknown", sentence, others };
  }
  const what = unconfigured.length === 0 ? "Everything" : "Everything that is configured";
  return { state: "up", sentence: `${what} works.`, others };
}

/** The problems of the jobs, in one or two sentences: their table names each. */
function jobsInWords(jobs: readonly JobStatus[]): readonly string[] {
  const late = jobs.filter(({ isLate }) => isLate);
  const failed = jobs.filter(({ run, isLate }) => !isLate && run !== null && run.error !== null);
  return ([[late, "is late", "are late"], [failed, "failed", "failed"]] as const)
    .filter(([of]) => of.length > 0)
    .map(([of, one, many]) =>
      of.length === 1 ? `The job “${of[0]?.name}” ${one}.` : `${of.length} background jobs ${many}.`
    );
}

function isForOthers({ name }: CheckStatus): boolean {
  return PART_GROUPS.some(({ id, parts }) =>
    id === "others" && parts.some(({ check }) => check === name)
  );
}

const STATES = {
  up: "works",
  warning: "works, but needs attention",
  unknown: "not checked yet",
  unconfigured: "not configured",
} as const;

/** The state of a check in words; null is a part without a check. */
export function checkInWords(check: CheckStatus | null, now: number): string {
  // The model lists are public: without a key they work, but their source is not checked.
  if (check === null || check.name === "router" && check.state === "unconfigured") {
    return "not watched";
  }
  return check.state === "down" ? failingInWords(check, now) : STATES[check.state];
}

const UNPROVEN = "A temporary database is lost with its process. Assign a Deno KV database " +
  "to the app, and create the first account with deno task accounts create from another machine.";

/** The problems of a check and their remedies, a sentence each, without what only an operator may read. */
export function adviceInWords(check: CheckStatus, report: StatusReport): readonly string[] {
  if (check.name === "database" && !report.isDatabaseLasting) return [UNPROVEN];
  if (check.name !== "events") return [];
  const { events, failure, at } = report;
  if (check.state === "unconfigured") {
    return ["Set AIRTABLE_TOKEN and AIRTABLE_BASE_ID, or EVENTS_STORE=file with EVENTS_FILE."];
  }
  if (failure === null) return concernsOf(report).map(({ advice }) => advice);
  const isServed = events !== null && at < events.servedUntil;
  return [
    ...failureInWords(failure, at),
    isServed
      ? `The last snapshot is served until ${formatMinute(events.servedUntil).slice(11)}; ` +
        "after that the API answers 502 until a read succeeds."
      : "The API answers 502 until a read succeeds.",
  ];
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

function failureInWords({ fault, loss }: ReadFailure, now: number): readonly string[] {
  if (fault !== "loss") return [FAULTS[fault]];
  if (loss === null) return [];
  return [
    `${lossInWords(loss)}.`,
    loss.acceptedUntil !== null && now < loss.acceptedUntil
      ? "An operator has accepted this loss: the next read applies it."
      : `${remedyInWords(loss)}. If the loss is intended, run: deno task events accept`,
  ];
}

/** The problems while the events can be read, with their remedies. */
function concernsOf(
  { events, failure, refresh, calls, at }: StatusReport,
): readonly { readonly concern: string; readonly advice: string }[] {
  if (events === null || failure !== null) return [];
  const { isFresh, readAt, leftOut, lostColumns } = events;
  const records = leftOut === 1 ? "record" : "records";
  const columns = lostColumns.length === 1 ? "column" : "columns";
  const names = lostColumns.map((column) => `“${column}”`).join(", ");
  return [
    ...(isFresh ? [] : [{
      concern: `The events were last read ${durationInWords(at - readAt)} ago.`,
      advice: "The next request reads them; between requests, the job “refresh events” does.",
    }]),
    ...(leftOut === 0 ? [] : [{
      concern: `${whole(leftOut)} ${records} of the events store cannot be shown.`,
      advice: "To see which records and why, run: deno task status",
    }]),
    ...(lostColumns.length === 0 ? [] : [{
      concern: `The events store has no ${columns} ${names}.`,
      advice:
        "If it was renamed, restore its name or correct AIRTABLE_FIELDS. If it was removed on purpose, do nothing.",
    }]),
    ...(refresh === null || refresh.problem === null ? [] : [{
      concern: "Airtable does not report changes, so the events are polled.",
      advice: refresh.problem,
    }]),
    ...(calls === null || calls.endsAt === null ? [] : [{
      concern: `The calls of Airtable's API will be used up by ${dayOf(calls.endsAt)}.`,
      advice:
        "Raise EVENTS_REFRESH_SECONDS, name a view with fewer records, or choose a plan with more calls " +
        "and raise AIRTABLE_CALLS_PER_MONTH.",
    }]),
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
  return `${failed === 0 ? "none" : whole(failed)} of ${whole(runs)} failed`;
}

/** The 90 days of a check in a phrase, the text alternative of its chart. */
export function historyInWords({ days, state }: CheckStatus): string {
  if (state === "unconfigured") return "";
  const known = days.filter(({ runs }) => runs > 0);
  const troubled = known.filter(({ failed }) => failed > 0).length;
  const without = days.length - known.length;
  return `Last ${days.length} days: ` +
    (troubled === 0 ? "no failures" : `failures on ${inDays(troubled)}`) +
    (without === 0 ? "" : `, no data for ${inDays(without)}`);
}

/** When the report was made. */
export function madeInWords({ at }: StatusReport): string {
  return `As of ${formatMinute(at)}.`;
}

/** The rule by which the events are read. */
function ruleInWords({ isNotified, intervalSeconds, areCallsScarce }: RefreshReport): string {
  if (!isNotified) {
    const seconds = whole(intervalSeconds);
    return `The table is read every ${seconds} seconds until Airtable reports changes`;
  }
  const rule = "Airtable reports changes; without any, the table is read hourly";
  return areCallsScarce ? `${rule}. Calls are scarce: a burst of edits is read once` : rule;
}

/** "Calls of Airtable's API in 2026-11: 812 of 1,000; 1,140 expected by its end, so none are left from 2026-11-24 on". */
export function callsInWords({ month, calls, budget, forecast, endsAt }: CallsOfMonth): string {
  const of = budget === null ? "" : ` of ${whole(budget)}`;
  const end = endsAt === null ? "" : `, so none are left from ${dayOf(endsAt)} on`;
  return `Calls of Airtable's API in ${month}: ${whole(calls)}${of}; ` +
    `${whole(forecast)} expected by its end${end}`;
}

/** The facts of the stored events, a line each. */
export function eventsInWords({ events, refresh, at: now }: StatusReport): readonly string[] {
  if (events === null) return ["No events are stored, or they cannot be read right now."];
  const { count, readAt, changedAt, leftOut, columns } = events;
  const why = columns.map(({ column, records }) => `“${column}” in ${whole(records)}`).join(", ");
  return [
    `${whole(count)} ${count === 1 ? "event" : "events"}`,
    `Last read ${momentInWords(readAt, now)}`,
    `Last changed ${momentInWords(changedAt, now)}`,
    ...refresh === null || !refresh.isWanted ? [] : [ruleInWords(refresh)],
    leftOut === 0
      ? "Every record is shown"
      : `${whole(leftOut)} ${leftOut === 1 ? "record is" : "records are"} left out ` +
        `because of invalid columns: ${why}`,
  ];
}

/** The outcome of a job's last run, without its error, which may hold internals. */
export function jobInWords({ run, isLate }: JobStatus): string {
  const outcome = run === null ? "has not run yet" : run.error === null ? "succeeded" : "failed";
  return isLate ? `${outcome}, and is late` : outcome;
}

/** The start and the duration of a job's last run. */
export function runInWords({ run }: JobStatus, now: number): [at: string, took: string] {
  if (run === null) return ["–", "–"];
  return [momentInWords(run.startedAt, now), `${(run.durationMs / 1_000).toFixed(1)} s`];
}

/** A moment in the past: "2026-11-21 12:00 UTC, 3 minutes ago". */
function momentInWords(at: number, now: number): string {
  return `${formatMinute(at)}, ${durationInWords(now - at)} ago`;
}

/** "less than a minute", "12 minutes", "3 hours", "2 days". */
function durationInWords(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return "less than a minute";
  if (minutes < 120) return minutes === 1 ? "a minute" : `${minutes} minutes`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${whole(Math.floor(hours / 24))} days`;
}

function inDays(count: number): string {
  return count === 1 ? "one day" : `${whole(count)} days`;
}

function whole(count: number): string {
  return count.toLocaleString("en");
}

/** The days with any run, the latest first, with the result of each configured check. */
export function daysTable({ checks }: StatusReport) {
  const configured = checks.filter(({ state }) => state !== "unconfigured");
  const rows = (configured[0]?.days ?? []).flatMap(({ date }, at) => {
    const days = configured.flatMap(({ days }) => days[at] ?? []);
    return days.some(({ runs }) => runs > 0) ? [[date, ...days.map(dayInWords)] as const] : [];
  });
  return { head: ["Day", ...configured.map(({ name }) => CHECK_LABELS[name])], rows };
}

/** The last run of each job. */
export function jobsTable(jobs: readonly JobStatus[], now: number) {
  return {
    head: ["Job", "Last run", "Started", "Duration"],
    rows: jobs.map((job) => [job.name, jobInWords(job), ...runInWords(job, now)] as const),
  };
}
