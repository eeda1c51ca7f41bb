/** `/follow`: calendars, feeds and the API to subscribe to, with the filters of the home page. */

import { Head } from "fresh/runtime";
import { type ComponentChildren, Fragment } from "preact";
import { PublicError } from "../lib/platform/http/errors.ts";
import { searchOf } from "../lib/platform/address.ts";
import { countInWords, type Counts } from "../lib/events/site/filter_words.ts";
import { chooseLink, FOLLOW, followMarkdown, followWays } from "../lib/events/site/follow.ts";
import { allEvents, buildListing } from "../lib/events/site/listing.ts";
import {
  chosenFilters,
  followHref,
  isNarrow,
  parseSelection,
  type Selection,
} from "../lib/events/site/selection.ts";
import { DOCUMENT_SCOPE } from "../components/documents/documents.tsx";
import { answerPage, catalogScope } from "../components/shared/kept_pages.tsx";
import { SharingHead } from "../components/shared/SharingHead.tsx";
import { Chosen, LinkList } from "../components/shared/LinkList.tsx";
import CopyButtons from "../islands/CopyButtons.tsx";
import { sheetStyle } from "../components/shared/sheets.tsx";
import { useSite } from "../components/shared/site.tsx";
import { methods } from "../lib/operate/routes/methods.ts";

export const handler = methods({
  async GET(ctx) {
    const { site } = ctx.state;
    const selection = parseSelection(searchOf(ctx.req.url));
    // The addresses are known even while the events cannot be read; only the number of events is then unknown.
    const scope = await catalogScope(ctx.state).catch(onlyPublic);
    const counts = () =>
      scope && buildListing(allEvents(scope.catalog, scope.today), selection, scope.today);
    return await answerPage(ctx, scope ?? DOCUMENT_SCOPE, {
      address: followHref(selection),
      html: () => ({
        element: (
          <>
            <SharingHead
              title={`${FOLLOW.title} · ${site.name}`}
              description={FOLLOW.summary}
              path="/follow"
              isIndexed={!isNarrow(selection)}
            />
            <Follow selection={selection} counts={counts()} />
          </>
        ),
      }),
      markdown: () => followMarkdown(selection, site, counts()),
    });
  },
});

/** Null for an error that callers may see. @throws any other. */
function onlyPublic(error: unknown): null {
  if (error instanceof PublicError) return null;
  throw error;
}

/** A text that breaks where addresses do: before what begins with a slash, a question mark or an ampersand. */
function breakable(text: string): ComponentChildren {
  return text.split(/(?<=[^/<"\s])(?=[/?&][^/>])/).map((part, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

function Follow({ selection, counts }: {
  readonly selection: Selection;
  /** The number of its events; null if it is not known. */
  readonly counts: Counts | null;
}) {
  const site = useSite();
  const chosen = chosenFilters(selection);
  const choose = chooseLink(selection);
  return (
    <>
      <Head>{sheetStyle("follow")}</Head>
      <div>
        <h1>{FOLLOW.title}</h1>
        <p class="lede">{FOLLOW.summary}</p>
        <div class="follow-which row">
          {counts !== null && <strong>{countInWords(selection, counts)}</strong>}
          {chosen.length > 0 && <Chosen class="chosen row" values={chosen} hrefOf={followHref} />}
          <a href={choose.href}>{choose.label}</a>
        </div>
        {followWays(selection, site).map(({ title, about, links, copied }, at) => (
          <section key={title} class="way" aria-labelledby={`way-${at}`}>
            <div>
              <h2 id={`way-${at}`}>{title}</h2>
              <p>{about}</p>
            </div>
            <div>
              {links.length > 0 && (
                <LinkList
                  class="way-links row"
                  links={links.map((link, nth) => ({
                    class: at + nth === 0 ? "plain-button" : "plain-button second",
                    ...link,
                    rel: "noreferrer",
                  }))}
                />
              )}
              {copied.map(({ label, text }) => (
                <div key={label} class="sample address">
                  {/* The copy button is placed here. */}
                  <div class="sample-head fine">{label}</div>
                  <code>{breakable(text)}</code>
                </div>
              ))}
            </div>
          </section>
        ))}
        <CopyButtons />
      </div>
    </>
  );
}
