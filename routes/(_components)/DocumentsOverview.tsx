/** The list of all documents, or the sections that a search found in them. */

import type { Document, Hit } from "../../lib/documents/mod.ts";
import { DocumentFrame } from "./DocumentPage.tsx";

interface Entry {
  readonly href: string;
  readonly title: string;
  readonly text: string;
  /** The title of the document around a section. */
  readonly within?: string | undefined;
}

/** The page's content; `search` is "" for the list of all documents. */
export function DocumentsOverview({ documents, search, hits, baseUrl }: {
  readonly documents: readonly Document[];
  readonly search: string;
  readonly hits: readonly Hit[];
  readonly baseUrl: string;
}) {
  const entries: readonly Entry[] = search === ""
    ? documents.map(({ address, title, summary }) => ({ href: address, title, text: summary }))
    : hits.map(({ href, section: { id, title }, document, excerpt }) => (
      { href, title, text: excerpt, within: id === "" ? undefined : document.title }
    ));
  return (
    <DocumentFrame
      title={search === "" ? "Documents" : `“${search}” in the documents`}
      summary="How to use the events API and the AI proxy, and how to run the service."
      address="/docs"
      documents={documents}
      baseUrl={baseUrl}
      search={search}
    >
      <article class="document">
        <h1>Documents</h1>
        {search !== "" && (
          <p role="status">
            {hits.length === 0
              ? "No section contains all of these words: "
              : `${hits.length} found for `}
            “<bdi>{search}</bdi>”. <a href="/docs">Show all documents</a>
          </p>
        )}
        <ul class="overview">
          {entries.map(({ href, title, text, within }) => (
            <li key={href}>
              <h2>
                <a href={href}>{title}</a>
              </h2>
              {within && <p class="fine">{within}</p>}
              <p>{text}</p>
            </li>
          ))}
        </ul>
      </article>
    </DocumentFrame>
  );
}
