/** The status page as markdown. */

import { escapeText } from "../../platform/escape.ts";
import { blocks, link, list, table } from "../../platform/markdown.ts";
import type { StatusDescription } from "./words.ts";

/** The facts of the page, with a table for its charts. */
export function statusMarkdown(
  { made, verdict, groups, events, days }: StatusDescription,
  baseUrl: string,
): string {
  return blocks(
    "# Status",
    escapeText(verdict.sentence),
    list(verdict.others.map(escapeText)),
    made,
    ...groups.flatMap(({ id, heading, about, parts }) => [
      `## ${heading}`,
      about,
      table(
        ["Part", "Now", "For", "History"],
        parts.map(({ label, now, purpose, history }) => [label, now, purpose, history]),
      ),
      ...parts.map(({ note }) => escapeText(note)),
      id === "events" ? list(events.map(escapeText)) : "",
    ]),
    "## Daily results",
    table(days.head, days.rows),
    `For machines: ${link("/up", `${baseUrl}/up`)}`,
  );
}
