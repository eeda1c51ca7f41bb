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

/** The same facts as the page; the picture of days is a table. */
export function statusMarkdown(report: StatusReport, baseUrl: string): string {
  const { checks, events, jobs, at } = report;
  const labels = configured(report).map(({ name }) => CHECK_LABELS[name]);
  const advice = checks.flatMap((check) => adviceInWords(check, report));
  return blocks(
    "# Status",
    ...headlines(report).map(escapeText),
    "## Checks",
    table(
      ["Check", "Now", "Before"],
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
    jobs === null ? "What the jobs did cannot be read now." : table(
      ["Job", "Last run", "Began", "Took"],
      jobs.map((job) => [job.name, jobInWords(job), ...runInWords(job, at)]),
    ),
    `For machines: ${link("/up", `${baseUrl}/up`)}`,
  );
}

/** The days on which anything was checked, the latest first, with what each check did. */
export function knownDays(report: StatusReport) {
  const checks = configured(report);
  const [first] = checks;
  return (first?.days ?? []).map(({ date }, at) => ({
    date,
    days: checks.flatMap(({ days }) => days[at] ?? []),
  })).filter(({ days }) => days.some(({ runs }) => runs > 0));
}

/** The checks that have a history: those of what the configuration names. */
export function configured({ checks }: StatusReport): readonly CheckStatus[] {
  return checks.filter(({ state }) => state !== "unconfigured");
}
