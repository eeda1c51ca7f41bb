/** `/docs`: every document with its summary, and the search through them. */

import { Fragment } from "preact";
import { searchOf } from "../../lib/platform/address.ts";
import { searchText } from "../../lib/platform/text.ts";
import { type Document, groupDocuments } from "../../lib/operate/documents/library.ts";
import { documentsMarkdown } from "../../lib/operate/documents/listings.ts";
import {
  type FoundSection,
  MAX_SEARCH_LENGTH,
  searchDocuments,
} from "../../lib/operate/documents/search.ts";
import { methods } from "../../lib/operate/routes/methods.ts";
import { DOCUMENT_SCOPE, documentsOf } from "../../components/documents/documents.tsx";
import { answerPage } from "../../components/shared/kept_pages.tsx";
import { DocumentFrame } from "../../components/documents/DocumentPage.tsx";

export const handler = methods({
  async GET(ctx) {
    const { listed, searched } = await documentsOf(ctx);
    const typed = new URLSearchParams(searchOf(ctx.req.url)).get("q");
    const search = searchText(typed, MAX_SEARCH_LENGTH);
    const hits = searchDocuments(searched, search);
    return await answerPage(ctx, DOCUMENT_SCOPE, {
      address: search === "" ? "/docs" : `/docs?${new URLSearchParams({ q: search })}`,
      html: () => ({
        element: <DocumentsOverview documents={listed} search={search} hits={hits} />,
      }),
      markdown: () => documentsMarkdown(listed, search, hits, ctx.state.site.baseUrl),
    });
  },
});

/** The page's content; `search` is "" for the list of all documents. */
function DocumentsOverview({ documents, search, hits }: {
  readonly documents: readonly Document[];
  readonly search: string;
  readonly hits: readonly FoundSection[];
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
            <Overview items={hits} heading="h2" />
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
      <Overview
        items={group.documents.map(({ address, title, summary }) => (
          { href: address, title, within: "", excerpt: summary }
        ))}
        heading="h3"
      />
    </Fragment>
  ));
}

function Overview({ items, heading: Heading }: {
  readonly items: readonly FoundSection[];
  readonly heading: "h2" | "h3";
}) {
  return (
    <ul class="overview">
      {items.map(({ href, title, within, excerpt }) => (
        <li key={href}>
          <Heading>
            <a href={href}>{title}</a>
          </Heading>
          {within !== "" && <p class="fine">{within}</p>}
          <p>{excerpt}</p>
        </li>
      ))}
    </ul>
  );
}
