/** The pages that other sites show in frames: whole documents of a few kilobytes, without the site around them. */

import {
  GROUNDS,
  MAX_PLACE_LENGTH,
  patternStyles,
  shortName,
  sizedHref,
  whenInWords,
} from "../../lib/events/mod.ts";
import type { RenderableProps, VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Context } from "fresh";
import type { EmbedTheme } from "../../lib/events/browser.ts";
import { createRepresentation } from "../../lib/platform/http/representation.ts";
import type { State } from "../../lib/operate/mod.ts";
import embed from "./embed.css" with { type: "text" };
import type { Card } from "../shared/card.ts";
import { Leaf } from "../shared/EventCard.tsx";
import { minified } from "../shared/sheets.tsx";
import { useSite, withSite } from "../shared/site.tsx";
import { framedHeaders } from "../shared/policy.ts";
import { answerKept, type CatalogBasis } from "../shared/prepared.tsx";

const SHEET = minified(
  `:root{--ground:light-dark(${GROUNDS.light},${GROUNDS.dark})}\n${embed}${patternStyles()}`,
);
/** Sends the document's height to the page around the frame, where `static/embed-1.js` receives it. */
const SCRIPT = "new ResizeObserver(()=>parent.postMessage({foyerHeight:Math.ceil(" +
  'document.documentElement.getBoundingClientRect().height)},"*")).observe(document.body)';

interface DocumentProps {
  readonly title: string;
  readonly theme: EmbedTheme;
  /** The rules of the site's colour and the events' looks. */
  readonly looks: string;
  /** The path of the page on the site that shows the same. */
  readonly href: string;
}

function EmbedDocument({ title, theme, looks, href, children }: RenderableProps<DocumentProps>) {
  const { baseUrl, name } = useSite();
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content={theme === "auto" ? "light dark" : theme} />
        <meta name="robots" content="noindex" />
        <title>{`${title} · ${name}`}</title>
        <link rel="canonical" href={`${baseUrl}${href}`} />
        {[SHEET, looks].map((__html) => (
          // deno-lint-ignore react-no-danger -- our own file; numbers and #rrggbb of lib/events/theme/theme.ts
          <style dangerouslySetInnerHTML={{ __html }} />
        ))}
      </head>
      <body>
        <main>{children}</main>
        <script
          // deno-lint-ignore react-no-danger -- our own text
          dangerouslySetInnerHTML={{ __html: SCRIPT }}
        />
      </body>
    </html>
  );
}

/** The attributes of links that leave the frame: they open a new page. */
const OUT = { target: "_blank", rel: "noopener" } as const;

/** Some events, a line each; the page at `href` has all events of the filter. */
export function EmbeddedList(
  { cards, ...frame }: DocumentProps & { readonly cards: readonly Card[] },
) {
  const { baseUrl, name } = useSite();
  return (
    <EmbedDocument {...frame}>
      <h1>{frame.title}</h1>
      {cards.length === 0 ? <p class="all">Nothing at the moment.</p> : (
        <ul>
          {cards.map((card) => (
            <li>
              <Leaf card={card} />
              <p class="name" dir="auto">
                <a href={`${baseUrl}${card.href}`} {...OUT}>{shortName(card.event.name, 80)}</a>
              </p>
              <p class="fine">
                <WhenAndWhere {...card} />
              </p>
            </li>
          ))}
        </ul>
      )}
      <p class="all fine">
        <a href={`${baseUrl}${frame.href}`} {...OUT}>{`All events at ${name}`}</a>
      </p>
    </EmbedDocument>
  );
}

/** One event in its own colours. */
export function EmbeddedCard(
  { card, ...frame }: Pick<DocumentProps, "theme" | "looks"> & { readonly card: Card },
) {
  const { event, classes, href, logo, background } = card;
  const name = shortName(event.name, 120);
  return (
    <EmbedDocument title={name} href={href} {...frame}>
      <article class={`card ${classes}`}>
        {background && <img class="art" src={sizedHref(background, 800)} alt="" />}
        {logo && <img class="logo" src={sizedHref(logo, 800)} alt="" />}
        <h1 dir="auto">{name}</h1>
        <p>
          <WhenAndWhere {...card} />
        </p>
        <a class="button" href={`${useSite().baseUrl}${href}`} {...OUT}>More about it</a>
      </article>
    </EmbedDocument>
  );
}

function WhenAndWhere({ event, today, place }: Card) {
  return (
    <>
      {whenInWords(event, today)}
      {place && <bdi>{` · ${shortName(place, MAX_PLACE_LENGTH)}`}</bdi>}
    </>
  );
}

/**
 * Answers with a page for a frame. It depends on its address alone, and neither reads nor sets cookies.
 *
 * @param address its canonical address.
 * @param make makes its content, and the rules of its events' looks.
 */
export async function answerEmbed(
  ctx: Context<State>,
  basis: CatalogBasis,
  address: string,
  make: () => { readonly element: VNode; readonly looks: string },
): Promise<Response> {
  return await answerKept(ctx, basis, `embed ${basis.edition} ${address}`, () => {
    const { element, looks } = make();
    const html = `<!doctype html>${renderToString(withSite(ctx.state.site, element))}`;
    return createRepresentation({
      contentType: "text/html; charset=utf-8",
      bytes: new TextEncoder().encode(html),
      headers: framedHeaders([SHEET, looks], SCRIPT, basis.baseUrl),
    });
  });
}
