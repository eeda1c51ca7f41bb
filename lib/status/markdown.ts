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
} from "./words.ts";

/** The facts of the page, with a table for its charts. */
export function statusMarkdown(report: StatusReport, baseUrl: string): string {
  const { checks, events, jobs, at } = report;
  const days = daysTable(report);
  const { head, rows } = jobsTable(jobs ?? [], at);
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
    table(days.head, days.rows),
    "## Events",
    list(eventsInWords(events, at).map(escapeText)),
    "## Jobs",
    jobs === null ? "The jobs cannot be read right now." : table(head, rows),
    `For machines: ${link("/up", `${baseUrl}/up`)}`,
  );
}
