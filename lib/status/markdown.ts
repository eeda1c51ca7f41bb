/** The status page as markdown. */

import { blocks, escapeText, link, list, table } from "../documents/mod.ts";
import type { CheckStatus, StatusReport } from "./report.ts";
import {
  adviceInWords,
  CHECK_LABELS,
  checkInWords,
  dayInWords,
  eventsInWords,
  headlines,
  historyInWords,
  jobInWords,
  runInWords,
} from "./words.ts";

/** The columns of the table of jobs. */
export const JOB_COLUMNS = ["Job", "Last run", "Started", "Duration"];

/** The facts of the page, with a table for its charts. */
export function statusMarkdown(report: StatusReport, baseUrl: string): string {
  const { checks, events, jobs, at } = report;
  const labels = configured(report).map(({ name }) => CHECK_LABELS[name]);
  const advice = checks.flatMap((check) => adviceInWords(check, report));
  return blocks(
    "# Status",
    ...headlines(report).map(escapeText),
    "## Checks",
    table(
      ["Check", "Now", "Last 90 days"],
      checks.map((check) => [
        CHECK_LABELS[check.name],
        checkInWords(check, at),
        historyInWords(check),
      ]),
    ),
    ...advice.map(escapeText),
    table(
      ["Day", ...labels],
      knownDays(report).map(({ date, days }) => [date, ...days.map(dayInWords)]),
    ),
    "## Events",
    list(eventsInWords(events, at).map(escapeText)),
    "## Jobs",
    jobs === null ? "The jobs cannot be read right now." : table(
      JOB_COLUMNS,
      jobs.map((job) => [job.name, jobInWords(job), ...runInWords(job, at)]),
    ),
    `For machines: ${link("/up", `${baseUrl}/up`)}`,
  );
}

/** The days with any run, the latest first, with the result of each check. */
export function knownDays(report: StatusReport) {
  const checks = configured(report);
  const [first] = checks;
  return (first?.days ?? []).map(({ date }, at) => ({
    date,
    days: checks.flatMap(({ days }) => days[at] ?? []),
  })).filter(({ days }) => days.some(({ runs }) => runs > 0));
}

/** The checks that the configuration enables. */
export function configured({ checks }: StatusReport): readonly CheckStatus[] {
  return checks.filter(({ state }) => state !== "unconfigured");
}
