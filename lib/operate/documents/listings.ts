/** Markdown that is made by the service: `/docs`, `/llms.txt` and `/llms-full.txt` (llmstxt.org), errors. */

import type { Site } from "../../events/site/site.ts";
import { ERROR_CODES, ERRORS, type PublicError } from "../../platform/http/errors.ts";
import { twinOf } from "../../platform/http/negotiate.ts";
import type { FoundSection } from "./search.ts";
import { type Document, groupDocuments } from "./library.ts";
import { escapeText } from "../../platform/escape.ts";
import { blocks, link, list } from "../../platform/markdown.ts";

const SUMMARY =
  "> One service with two parts: a public, read-only API and site for the events of an organisation, and an AI proxy through which its members call web search, structured decisions and model lists with one API key and a daily spending limit.";
const HINT =
  "Every page is also available as markdown: send `Accept: text/markdown`, or append `.md` to its address. Errors under `/api` and `/proxy` are JSON with a stable `code`. Assistants use the same by the Model Context Protocol at `/mcp`.";

type SiteFacts = Pick<Site, "baseUrl" | "name" | "tagline">;

function summaryWith(tagline: string | null): string {
  return tagline === null ? SUMMARY : SUMMARY.replace("> ", () => `> ${escapeText(tagline)} `);
}

/** `/docs`: every document, or the sections that a search found in them. */
export function documentsMarkdown(
  documents: readonly Document[],
  search: string,
  hits: readonly FoundSection[],
  baseUrl: string,
): string {
  if (search === "") return blocks("# Documents", documentList(documents, baseUrl));
  const found = hits.map(({ href, title, within, excerpt }) => {
    const name = within === "" ? title : `${within}: ${title}`;
    return `${link(name, `${baseUrl}${href}`)}: ${escapeText(excerpt)}`;
  });
  return blocks(
    "# Documents",
    hits.length === 0
      ? `No section contains all of these words: “${escapeText(search)}”.`
      : `${hits.length} found for “${escapeText(search)}”.`,
    link("Show all documents", `${baseUrl}/docs.md`),
    list(found),
  );
}

/** `/llms.txt`: a link to the markdown of each page, with a note. */
export function llmsIndex(
  documents: readonly Document[],
  { baseUrl, name, tagline }: SiteFacts,
): string {
  const to = (title: string, path: string) => link(title, `${baseUrl}${path}`);
  return blocks(
    `# ${escapeText(name)}`,
    summaryWith(tagline),
    HINT,
    documentList(documents, baseUrl),
    "## Events",
    list([
      `${
        to("What’s on", "/index.md")
      }: what is on, what comes next, and past events by year, with a link to each page.`,
      `${to("Events as JSON", "/api/v1/events")}: the list of the API.`,
      `${to("New events", "/api/v1/events/rss")}: the announcement feed, as RSS.`,
      `${to("Calendar", "/calendar.ics")}: all events to subscribe to, as iCalendar.`,
    ]),
    "## Optional",
    list([
      `${to("Everything in one file", "/llms-full.txt")}: all documents, in full.`,
      `${to("Overview of the documents", "/docs.md")}: the list of documents above, for people.`,
    ]),
  );
}

function documentList(documents: readonly Document[], baseUrl: string): string {
  return blocks(
    ...groupDocuments(documents).flatMap(({ title, documents }) => [
      `## ${title}`,
      list(
        documents.map(({ title, address, summary }) =>
          `${link(title, `${baseUrl}${twinOf(address)}`)}: ${escapeText(summary)}`
        ),
      ),
    ]),
  ).trimEnd();
}

/** `/llms-full.txt`: every document in full, one after the other. */
export function llmsFull(
  documents: readonly Document[],
  { baseUrl, name, tagline }: SiteFacts,
): string {
  return blocks(
    `# ${escapeText(name)}: all documents`,
    summaryWith(tagline),
    ...documents.map(({ markdown, address }) =>
      // The file has one top heading, so each document's headings move down a level.
      blocks(`<${baseUrl}${address}>`, lowerHeadings(markdown)).trimEnd()
    ),
  );
}

/** Moves every heading down one level; a `#` in a sample is no heading. */
function lowerHeadings(markdown: string): string {
  let inSample = false;
  return markdown.split("\n").map((line) => {
    if (line.startsWith("```")) inSample = !inSample;
    return !inSample && /^#{1,5} /.test(line) ? `#${line}` : line;
  }).join("\n").trimEnd();
}

/** The markdown of an error page. */
export function errorMarkdown(error: PublicError, baseUrl: string, requestId: string): string {
  const { code, message, hint, status } = error;
  return blocks(
    `# ${escapeText(message)}`,
    escapeText(hint ?? ""),
    link("See all events", `${baseUrl}/index.md`),
    `Status ${status}, code [\`${code}\`](${baseUrl}/docs/errors#${code}), request \`${requestId}\``,
  );
}

/** A section for each code, with the operator in the words of `operatorInWords`; the `documentation_url` of an error leads to its heading. */
export function errorSections(operator: string): string {
  return ERROR_CODES.map((code) => {
    const { status, cause, remedy } = ERRORS[code];
    return blocks(
      `### \`${code}\``,
      `Status **${status}**. ${cause}`,
      `**What to do:** ${remedy.replace("{{operator}}", () => operator)}`,
    );
  }).join("\n");
}
