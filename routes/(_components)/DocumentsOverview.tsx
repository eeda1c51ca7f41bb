/** The list of all documents, or what a search through them found. */

import type { Document, Hit } from "../../lib/documents/mod.ts";
import { DocumentFrame } from "./DocumentPage.tsx";

/** What the overview shows. */
interface OverviewProps {
  readonly documents: readonly Document[];
  /** The words that were looked for; "" for the list of all. */
  readonly search: string;
  readonly hits: readonly Hit[];
  readonly baseUrl: string;
}

/** The page's content. */
export function DocumentsOverview({ documents, search, hits, baseUrl }: OverviewProps) {
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
        {search === "" ? <All documents={documents} /> : <Found search={search} hits={hits} />}
      </article>
    </DocumentFrame>
  );
}

function All({ documents }: Pick<OverviewProps, "documents">) {
  return (
    <ul class="overview">
      {documents.map(({ name, address, title, summary }) => (
        <li key={name}>
          <h2>
            <a href={address}>{title}</a>
          </h2>
          <p>{summary}</p>
        </li>
      ))}
    </ul>
  );
}

function Found({ search, hits }: Pick<OverviewProps, "search" | "hits">) {
  return (
    <>
      <p role="status">
        {hits.length === 0 ? "Nothing has all of these words: " : `${hits.length} found for `}
        “<bdi>{search}</bdi>”. <a href="/docs">Show all documents</a>
      </p>
      <ul class="overview">
        {hits.map(({ href, section, document, excerpt }) => (
          <li key={href}>
            <h2>
              <a href={href}>{section.title}</a>
            </h2>
            {section.id !== "" && <p class="fine">{document.title}</p>}
            <p>{excerpt}</p>
          </li>
        ))}
      </ul>
    </>
  );
}
