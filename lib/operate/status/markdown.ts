/** The status page as markdown. */

import { blocks, escapeText, link, list, table } from "../../platform/markdown.ts";
import type { StatusReport } from "./report.ts";
import {
  adviceInWords,
  callsInWords,
  checkInWords,
  daysTable,
  eventsInWords,
  historyInWords,
  jobsTable,
  madeInWords,
  partGroups,
  verdictOf,
} from "./words.ts";

/** The facts of the page, with a table for its charts. */
export function statusMarkdown(report: StatusReport, baseUrl: string): string {
  const { jobs, at, calls } = report;
  const { sentence, others } = verdictOf(report);
  const days = daysTable(report);
  const { head, rows } = jobsTable(jobs ?? [], at);
  return blocks(
    "# Status",
    escapeText(sentence),
    list(others.map(escapeText)),
    madeInWords(report),
    ...partGroups(report).flatMap(({ id, heading, about, parts }) => [
      `## ${heading}`,
      about ?? "",
      table(
        ["Part", "Now", "For", "History"],
        parts.map(({ label, purpose, check }) => [
          label,
          checkInWords(check, at),
          purpose,
          check === null ? "" : historyInWords(check),
        ]),
      ),
      ...parts.flatMap(({ check }) => check === null ? [] : adviceInWords(check, report))
        .map(escapeText),
      id === "events" ? list(eventsInWords(report).map(escapeText)) : "",
    ]),
    "## In detail",
    calls === null ? "" : escapeText(callsInWords(calls)),
    "### Daily results",
    table(days.head, days.rows),
    "### Background jobs",
    jobs === null ? "The jobs cannot be read right now." : table(head, rows),
    `For machines: ${link("/up", `${baseUrl}/up`)}`,
  );
}
