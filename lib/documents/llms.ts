/** `/llms.txt` and `/llms-full.txt`: every page for readers without a browser (llmstxt.org). */

import { twinOf } from "../http/mod.ts";
import type { Document } from "./library.ts";
import { blocks, escapeText, link, list } from "./markdown.ts";

const SUMMARY =
  "> One service behind one door: a public, read-only API and site for the events of an organisation, and an AI proxy through which its members call web search, structured decisions and model lists with one API key and a daily spending limit.";
const HINT =
  "Every page answers in markdown, to `Accept: text/markdown` or with `.md` behind its address. Errors under `/api` and `/proxy` are JSON with a stable `code`.";

/** The index: a link with a note for each page, to its markdown. */
export function llmsIndex(documents: readonly Document[], baseUrl: string): string {
  return blocks(
    "# Foyer",
    SUMMARY,
    HINT,
    "## Documents",
    list(
      documents.map(({ title, address, summary }) =>
        `${link(title, `${baseUrl}${twinOf(address)}`)}: ${escapeText(summary)}`
      ),
    ),
    "## Events",
    list([
      `${
        link("What’s on", `${baseUrl}/index.md`)
      }: every event by its state, with a link to its page.`,
      `${link("Events as JSON", `${baseUrl}/api/v1/events`)}: the list of the API.`,
      `${link("New events", `${baseUrl}/api/v1/events/rss`)}: the announcement feed, as RSS.`,
      `${link("Calendar", `${baseUrl}/calendar.ics`)}: all events to subscribe to, as iCalendar.`,
    ]),
    "## Optional",
    list([
      `${link("Everything in one file", `${baseUrl}/llms-full.txt`)}: all documents, in full.`,
      `${
        link("Overview of the documents", `${baseUrl}/docs.md`)
      }: the same list as above, for people.`,
    ]),
  );
}

/** Every document in full, one after the other. */
export function llmsFull(documents: readonly Document[], baseUrl: string): string {
  return blocks(
    "# Foyer: all documents",
    SUMMARY,
    ...documents.map(({ markdown, address }) =>
      // One document has one top heading: what was one becomes a heading of this one.
      blocks(`<${baseUrl}${address}>`, deeper(markdown)).trimEnd()
    ),
  );
}

/** The same markdown with every heading one level down; `#` in a sample is not one. */
function deeper(markdown: string): string {
  let inSample = false;
  return markdown.split("\n").map((line) => {
    if (line.startsWith("```")) inSample = !inSample;
    return !inSample && /^#{1,5} /.test(line) ? `#${line}` : line;
  }).join("\n").trimEnd();
}
