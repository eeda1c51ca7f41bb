/** The list of all documents, or the sections that a search found in them. */

import { Fragment } from "preact";
import { type Document, groupDocuments, type Hit } from "../../lib/documents/mod.ts";
import { DocumentFrame } from "./DocumentPage.tsx";

/** The page's content; `search` is "" for the list of all documents. */
export function DocumentsOverview({ documents, search, hits }: {
  readonly documents: readonly Document[];
  readonly search: string;
  readonly hits: readonly Hit[];
}) {
  return (
    <DocumentFrame
      title={search === "" ? "Documents" : `“${search}” in the documents`}
      summary="How to use the events API and the AI proxy, and how to run the service."
      address="/docs"
      documents={documents}
      search={search}
    >
      <article class="document">
        <h1>Documents</h1>
        {search === "" ? <AllDocuments documents={documents} /> : (
          <>
            <p role="status">
              {hits.length === 0
                ? "No section contains all of these words: "
                : `${hits.length} found for `}
              “<bdi>{search}</bdi>”. <a href="/docs">Show all documents</a>
            </p>
            <ul class="overview">
              {hits.map(({ href, section: { id, title }, document, excerpt }) => (
                <li key={href}>
                  <h2>
                    <a href={href}>{title}</a>
                  </h2>
                  {id !== "" && <p class="fine">{document.title}</p>}
                  <p>{excerpt}</p>
                </li>
              ))}
            </ul>
          </>
        )}
      </article>
    </DocumentFrame>
  );
}

function AllDocuments({ documents }: { documents: readonly Document[] }) {
  return groupDocuments(documents).map((group) => (
    <Fragment key={group.title}>
      <h2>{group.title}</h2>
      <ul class="overview">
        {group.documents.map(({ address, title, summary }) => (
          <li key={address}>
            <h3>
              <a href={address}>{title}</a>
            </h3>
            <p>{summary}</p>
          </li>
        ))}
      </ul>
    </Fragment>
  ));
}
