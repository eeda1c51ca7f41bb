/** The page of a document, with the list of all documents and the list of its own sections. */

import { Head } from "fresh/runtime";
import { type ComponentChildren, Fragment } from "preact";
import { LinkList } from "../shared/LinkList.tsx";
import CopyButtons from "../../islands/CopyButtons.tsx";
import { type Document, groupDocuments } from "../../lib/operate/documents/library.ts";
import { type Heading, renderDocument } from "../../lib/operate/documents/render.ts";
import { MAX_SEARCH_LENGTH } from "../../lib/operate/documents/search.ts";
import { SharingHead } from "../shared/SharingHead.tsx";
import { sheetStyle } from "../shared/sheets.tsx";
import { useSite } from "../shared/site.tsx";

/** Additions of a page to its document. */
export interface Additions {
  /** Placed above the first section of the document. */
  readonly form?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** The page of a document. */
export function DocumentPage(
  { document, documents, form, children }: Additions & {
    readonly document: Document;
    readonly documents: readonly Document[];
  },
) {
  const { html, headings } = renderDocument(document.markdown);
  const hasSamples = html.includes('<div class="sample">');
  const sections = html.indexOf("<h2");
  return (
    <DocumentFrame {...document} documents={documents}>
      <OnThisPage headings={headings} />
      {form === undefined
        ? <article class="document" {...inner(html)} />
        : (
          <article class="document">
            <div {...inner(html.slice(0, sections))} />
            {form}
            <div {...inner(html.slice(sections))} />
          </article>
        )}
      {children}
      {/* Last, because the children may add samples. */}
      {hasSamples && <CopyButtons />}
    </DocumentFrame>
  );
}

/** The content of an element: HTML of `renderDocument`, in which everything is escaped. */
export function inner(__html: string) {
  return { dangerouslySetInnerHTML: { __html } };
}

/** The frame of every documents page. */
export function DocumentFrame(
  { title, summary, address, documents, search = "", children }:
    & Pick<Document, "title" | "summary" | "address">
    & {
      readonly documents: readonly Document[];
      readonly search?: string;
      readonly children: ComponentChildren;
    },
) {
  return (
    <>
      <SharingHead
        title={`${title} · ${useSite().name}`}
        description={summary}
        path={address}
        isIndexed={search === ""}
      />
      <Head>{sheetStyle("documents")}</Head>
      <div class="documents">
        <nav class="library" aria-label="Documents">
          <search>
            <form action="/docs" method="get">
              <label class="hidden" for="q">Search the documents</label>
              <input
                id="q"
                type="search"
                name="q"
                value={search}
                placeholder="Search"
                maxLength={MAX_SEARCH_LENGTH}
              />
              <button type="submit">Search</button>
            </form>
          </search>
          <details class="index">
            <summary>All documents</summary>
            {groupDocuments(documents).map((group) => (
              <Fragment key={group.title}>
                <p class="fine">{group.title}</p>
                <LinkList
                  class="row"
                  aria-label={group.title}
                  links={group.documents.map(({ title, address: href }) => (
                    { label: title, href, "aria-current": href === address ? "page" : undefined }
                  ))}
                />
              </Fragment>
            ))}
          </details>
        </nav>
        {children}
      </div>
    </>
  );
}

function OnThisPage({ headings }: { headings: readonly Heading[] }) {
  const shown = headings.filter(({ level }) => level === 2);
  if (shown.length < 2) return null;
  return (
    <details class="contents">
      <summary>On this page</summary>
      <nav aria-label="On this page">
        <LinkList
          class="sections"
          links={shown.map(({ id, text }) => ({ label: text, href: `#${id}` }))}
        />
      </nav>
    </details>
  );
}
