/** `/docs` as markdown. */

import { twinOf } from "../http/mod.ts";
import type { Document } from "./library.ts";
import { blocks, escapeText, link, list } from "./markdown.ts";
import type { Hit } from "./search.ts";

/** The list of all documents, or what a search found in them. */
export function documentsMarkdown(
  documents: readonly Document[],
  search: string,
  hits: readonly Hit[],
  baseUrl: string,
): string {
  if (search === "") {
    const lines = documents.map(({ title, address, summary }) =>
      `${link(title, `${baseUrl}${twinOf(address)}`)}: ${escapeText(summary)}`
    );
    return blocks("# Documents", list(lines));
  }
  const found = hits.map(({ href, section, document, excerpt }) => {
    const title = section.id === "" ? document.title : `${document.title}: ${section.title}`;
    return `${link(title, `${baseUrl}${href}`)}: ${escapeText(excerpt)}`;
  });
  return blocks(
    "# Documents",
    hits.length === 0
      ? `Nothing has all of these words: “${escapeText(search)}”.`
      : `${hits.length} found for “${escapeText(search)}”.`,
    link("Show all documents", `${baseUrl}/docs.md`),
    list(found),
  );
}
