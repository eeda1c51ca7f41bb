/** The list of all documents, or the sections that a search found in them. */

import type { ComponentChildren } from "preact";
import type { Document, Hit } from "../../lib/documents/mod.ts";
import { DocumentFrame } from "./DocumentPage.tsx";

/** The page's content; `search` is "" for the list of all documents. */
export function DocumentsOverview({ documents, search, hits, baseUrl }: {
  readonly documents: readonly Document[];
  readonly search: string;
  readonly hits: readonly Hit[];
  readonly baseUrl: string;
}) {
  const entries = search === ""
    ? documents.map(({ address, title, summary }) => (
      <Entry key={address} href={address} title={title} text={summary} />
    ))
    : hits.map(({ href, section, document, excerpt }) => (
      <Entry key={href} href={href} title={section.title} text={excerpt}>
        {section.id !== "" && <p class="fine">{document.title}</p>}
      </Entry>
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
        <ul class="overview">{entries}</ul>
      </article>
    </DocumentFrame>
  );
}

function Entry({ href, title, text, children }: {
  readonly href: string;
  readonly title: string;
  readonly text: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <li>
      <h2>
        <a href={href}>{title}</a>
      </h2>
      {children}
      <p>{text}</p>
    </li>
  );
}
