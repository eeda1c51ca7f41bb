/** `/follow`: calendars, feeds and the API to subscribe to, with the filters of the home page. */

import { Head } from "fresh/runtime";
import { PublicError, searchOf } from "../lib/http/mod.ts";
import {
  allEvents,
  buildProgramme,
  countInWords,
  type Counts,
  FOLLOW,
  followFilters,
  followHref,
  followMarkdown,
  followStates,
  followWays,
  isNarrow,
  parseSelection,
  type Selection,
} from "../lib/site/mod.ts";
import { documentBasis } from "./(_shared)/documents.tsx";
import { answerPage, catalogBasis } from "./(_components)/prepared.tsx";
import { SharingHead } from "./(_components)/SharingHead.tsx";
import { choice, Chosen, LinkList } from "./(_components)/LinkList.tsx";
import CopyButtons from "../islands/CopyButtons.tsx";
import { sheetStyle } from "./(_components)/sheets.tsx";
import { useSite } from "./(_components)/site.tsx";
import { methods } from "./(_shared)/methods.ts";

export const handler = methods({
  async GET(ctx) {
    const { site } = ctx.state;
    const selection = parseSelection(searchOf(ctx.req.url));
    // The addresses are known even while the events cannot be read; only the number of events is then unknown.
    const basis = await catalogBasis(ctx.state).catch(onlyPublic);
    const counts = basis && buildProgramme(allEvents(basis.catalog, basis.today), selection);
    return await answerPage(ctx, basis ?? documentBasis(ctx.state), {
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
            <Follow selection={selection} counts={counts} />
          </>
        ),
      }),
      markdown: () => followMarkdown(selection, site, counts),
    });
  },
});

/** Null for an error that callers may see. @throws any other. */
function onlyPublic(error: unknown): null {
  if (error instanceof PublicError) return null;
  throw error;
}

/** The page's content. */
function Follow({ selection, counts }: {
  readonly selection: Selection;
  /** The number of its events; null if it is not known. */
  readonly counts: Counts | null;
}) {
  const site = useSite();
  const others = followFilters(selection);
  return (
    <>
      <Head>{sheetStyle("follow")}</Head>
      <div class="wide">
        <h1>{FOLLOW.title}</h1>
        <p class="lede">{FOLLOW.summary}</p>
        <div class="follow-states row">
          <span class="fine" id="which">Which events</span>
          <LinkList
            class="chips row"
            aria-labelledby="which"
            links={followStates(selection).map(({ label, href, isOn }) =>
              choice(label, href, isOn, "chip")
            )}
          />
          {others.length > 0 && <Chosen class="chosen row" values={others} hrefOf={followHref} />}
        </div>
        {counts !== null && (
          <p class="follow-count">
            <strong>{countInWords(selection, counts)}</strong>
          </p>
        )}
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
                  links={links.map((link) => (
                    { class: "plain-button", ...link, rel: "noreferrer" }
                  ))}
                />
              )}
              {copied.map(({ label, text }) => (
                <div key={label} class="sample address">
                  {/* The copy button is placed here. */}
                  <div class="sample-head fine">{label}</div>
                  <code>{text}</code>
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
