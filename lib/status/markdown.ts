/** The status page as markdown. */

import { blocks, escapeText, link, list, table } from "../documents/mod.ts";
import type { StatusReport } from "./report.ts";
import {
  adviceInWords,
  CHECK_LABELS,
  checkInWords,
  daysTable,
  eventsInWords,
  headlines,
  historyInWords,
  jobsTable,
  type StatusTable,
} from "./words.ts";

/** The facts of the page, with a table for its charts. */
export function statusMarkdown(report: StatusReport, baseUrl: string): string {
  const { checks, events, jobs, at } = report;
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
    asMarkdown(daysTable(report)),
    "## Events",
    list(eventsInWords(events, at).map(escapeText)),
    "## Jobs",
    jobs === null ? "The jobs cannot be read right now." : asMarkdown(jobsTable(jobs, at)),
    `For machines: ${link("/up", `${baseUrl}/up`)}`,
  );
}

function asMarkdown({ head, rows }: StatusTable): string {
  return table(head, rows);
}
