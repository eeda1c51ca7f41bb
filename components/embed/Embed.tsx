/** The pages that other sites show in frames: whole documents of a few kilobytes, without the site around them. */

import type { RenderableProps, VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Context } from "fresh";
import type { EmbedTheme } from "../../lib/events/site/embed.ts";
import { shortName } from "../../lib/events/site/short_text.ts";
import type { State } from "../../lib/operate/state.ts";
import type { Card } from "../shared/card.ts";
import { EventCard, EventRow } from "../shared/EventCard.tsx";
import { EMBED_SHEET } from "../shared/sheets.tsx";
import { useSite, withSite } from "../shared/site.tsx";
import { framedHeaders } from "../shared/policy.ts";
import { cachedResponse, type CatalogScope, represent } from "../shared/kept_pages.tsx";

/** Sends the document's height to the page around the frame, where `static/embed-1.js` receives it. */
const SCRIPT = "new ResizeObserver(()=>parent.postMessage({foyerHeight:Math.ceil(" +
  'document.documentElement.getBoundingClientRect().height)},"*")).observe(document.body)';

interface DocumentProps {
  readonly title: string;
  readonly theme: EmbedTheme;
  /** The rules of the site's colour and the events' themes. */
  readonly rules: string;
  /** The path of the page on the site that shows the same. */
  readonly href: string;
}

function EmbedDocument({ title, theme, rules, href, children }: RenderableProps<DocumentProps>) {
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
        {/* Links leave the frame. */}
        <base target="_blank" />
        {[EMBED_SHEET, rules].map((__html) => (
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

/** Some events, a line each; the page at `href` has all events of the filter. */
export function EmbeddedList(
  { cards, ...frame }: DocumentProps & { readonly cards: readonly Card[] },
) {
  const { name } = useSite();
  return (
    <EmbedDocument {...frame}>
      <h1>{frame.title}</h1>
      {cards.length === 0 ? <p>Nothing at the moment.</p> : (
        <ul class="lines">
          {cards.map((card) => <EventRow key={card.href} card={card} heading="h2" />)}
        </ul>
      )}
      <p class="all fine">
        <a href={frame.href}>{`All events at ${name}`}</a>
      </p>
    </EmbedDocument>
  );
}

/** One event in its own colours. */
export function EmbeddedCard(
  { card, ...frame }: Pick<DocumentProps, "theme" | "rules"> & { readonly card: Card },
) {
  return (
    <EmbedDocument title={shortName(card.event.name, 120)} href={card.href} {...frame}>
      <ul class="card-alone">
        <EventCard card={card} isFirst heading="h1" />
      </ul>
    </EmbedDocument>
  );
}

/**
 * Answers with a page for a frame. It depends on its address alone, and neither reads nor sets cookies.
 *
 * @param address its canonical address.
 * @param make makes its content, and the rules of its events' themes.
 */
export async function answerEmbed(
  ctx: Context<State>,
  scope: CatalogScope,
  address: string,
  make: () => { readonly element: VNode; readonly rules: string },
): Promise<Response> {
  return await cachedResponse(ctx, scope, `embed ${address}`, (isOneOfMany) => {
    const { element, rules } = make();
    const html = `<!doctype html>${renderToString(withSite(ctx.state.site, element))}`;
    return represent("text/html; charset=utf-8", html, {
      headers: framedHeaders([EMBED_SHEET, rules], SCRIPT, scope.baseUrl),
      isOneOfMany,
    });
  });
}
