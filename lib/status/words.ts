/** The status in words: what the page, its picture and its markdown say alike. */

import type { CheckName } from "../health/history.ts";
import type { CheckStatus, DayStatus, EventsStatus, JobStatus, StatusReport } from "./report.ts";

/** What people call each check. */
export const CHECK_LABELS: Readonly<Record<CheckName, string>> = {
  database: "Database",
  analytics: "Usage records",
  router: "Chat models",
  ocr: "OCR",
  websearch: "Web search",
};

/** What one wants to know first, a sentence each. */
export function headlines({ checks, events, jobs, at }: StatusReport): readonly string[] {
  const failing = checks.filter(({ isUp }) => isUp === false);
  const problems = [
    ...failing.map((check) => `${CHECK_LABELS[check.name]} ${failingInWords(check, at)}.`),
    ...(events === null || events.isFresh
      ? []
      : [`The events were last read ${durationInWords(at - events.readAt)} ago.`]),
    ...(jobs ?? []).filter(isTroubled)
      .map(({ name, isLate }) => `The job “${name}” ${isLate ? "is late" : "failed"}.`),
  ];
  if (problems.length > 0) return problems;
  const isKnown = checks.every(({ isUp }) => isUp !== null);
  return [isKnown ? "Everything works." : "Nothing has been checked yet."];
}

/** How a check stands now. */
export function checkInWords(check: CheckStatus, now: number): string {
  if (check.isUp === null) return "not checked yet";
  return check.isUp ? "works" : failingInWords(check, now);
}

function failingInWords({ failingSince }: CheckStatus, now: number): string {
  if (failingSince === null) return "fails";
  return `has been failing for ${durationInWords(now - failingSince)}`;
}

/** How a check did on a day. */
export type DayState = "none" | "up" | "partly" | "down";

/** The state of a day, for its colour and shape. */
export function dayState({ runs, failed }: DayStatus): DayState {
  if (runs === 0) return "none";
  if (failed === 0) return "up";
  return failed === runs ? "down" : "partly";
}

/** A day's runs in words. */
export function dayInWords({ runs, failed }: DayStatus): string {
  if (runs === 0) return "no data";
  return `${failed === 0 ? "none" : whole(failed)} of ${whole(runs)} failed`;
}

/** The 90 days of a check in a sentence, for those who do not see the picture. */
export function historyInWords({ days }: CheckStatus): string {
  const known = days.filter(({ runs }) => runs > 0);
  const troubled = known.filter(({ failed }) => failed > 0).length;
  const without = days.length - known.length;
  return [
    `${days.length} days: ${troubled === 0 ? "none" : troubled} with failures`,
    ...(without === 0 ? [] : [`${without} without data`]),
  ].join(", ");
}

/** What is known of the events, a line each. */
export function eventsInWords(events: EventsStatus | null, now: number): readonly string[] {
  if (events === null) return ["Nothing of the events is stored, or it cannot be read now."];
  const { count, readAt, changedAt, leftOut, columns } = events;
  const why = columns.map(({ column, records }) => `“${column}” of ${whole(records)}`).join(", ");
  return [
    `${whole(count)} ${count === 1 ? "event" : "events"}`,
    `Last read ${momentInWords(readAt, now)}`,
    `Last changed ${momentInWords(changedAt, now)}`,
    leftOut === 0
      ? "No record is left out"
      : `${whole(leftOut)} ${leftOut === 1 ? "record is" : "records are"} left out, ` +
        `since a column cannot be understood: ${why}`,
  ];
}

/** How a job's last run went; nothing of an error, which may name what is inside. */
export function jobInWords({ run, isLate }: JobStatus): string {
  if (run === null) return "has not run yet";
  return `${run.error === null ? "worked" : "failed"}${isLate ? ", and is late" : ""}`;
}

/** When a job ran last, and for how long. */
export function runInWords({ run }: JobStatus, now: number): readonly [at: string, took: string] {
  if (run === null) return ["–", "–"];
  return [momentInWords(run.startedAt, now), `${(run.durationMs / 1_000).toFixed(1)} s`];
}

/** A moment in the past: "2026-11-21 12:00 UTC, 3 minutes ago". */
export function momentInWords(at: number, now: number): string {
  const moment = new Date(at).toISOString().slice(0, 16).replace("T", " ");
  return `${moment} UTC, ${durationInWords(now - at)} ago`;
}

/** "less than a minute", "12 minutes", "3 hours", "2 days". */
function durationInWords(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return "less than a minute";
  if (minutes < 120) return minutes === 1 ? "a minute" : `${minutes} minutes`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${whole(Math.floor(hours / 24))} days`;
}

function isTroubled({ run, isLate }: JobStatus): boolean {
  return isLate || (run !== null && run.error !== null);
}

function whole(count: number): string {
  return count.toLocaleString("en");
}
