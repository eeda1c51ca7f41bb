/** The pages that other sites show in frames: whole documents of a few kilobytes, without the site around them. */

import type { ComponentChildren, VNode } from "preact";
import type { EmbedTheme } from "../../lib/embeds/browser.ts";
import { MAX_PLACE_LENGTH, placeOf, shortName, whenInWords } from "../../lib/site/mod.ts";
import { GROUNDS } from "../../lib/theme/mod.ts";
import { sizedHref } from "../../lib/pictures/mod.ts";
import embed from "../../styles/embed.css" with { type: "text" };
import type { Card } from "../(_shared)/card.ts";
import { Leaf } from "./EventRow.tsx";
import { minified } from "./sheets.tsx";

const SHEET = minified(`:root{--ground:light-dark(${GROUNDS.light},${GROUNDS.dark})}\n${embed}`);
/** Sends the document's height to the page around the frame, where `static/embed-1.js` receives it. */
const SCRIPT = "new ResizeObserver(()=>parent.postMessage({foyerHeight:Math.ceil(" +
  'document.documentElement.getBoundingClientRect().height)},"*")).observe(document.body)';
/** The texts of its own inline style and script, for the policy. */
export const EMBED_TEXTS = { style: SHEET, script: SCRIPT } as const;

interface DocumentProps {
  readonly title: string;
  readonly siteName: string;
  readonly theme: EmbedTheme;
  /** The rules of the site's colour and the events' looks. */
  readonly looks: string;
  /** The address of the page on the site that shows the same. */
  readonly canonical: string;
  readonly children: ComponentChildren;
}

function EmbedDocument(
  { title, siteName, theme, looks, canonical, children }: DocumentProps,
) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content={theme === "auto" ? "light dark" : theme} />
        <meta name="robots" content="noindex" />
        <title>{`${title} · ${siteName}`}</title>
        <link rel="canonical" href={canonical} />
        {[SHEET, looks].map((__html) => (
          // deno-lint-ignore react-no-danger -- our own file; numbers and #rrggbb of lib/theme/theme.ts
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

interface ListProps {
  readonly title: string;
  readonly siteName: string;
  readonly cards: readonly Card[];
  readonly looks: string;
  readonly theme: EmbedTheme;
  readonly baseUrl: string;
  /** The path of the page with all events of the filter. */
  readonly href: string;
  /** `YYYY-MM-DD`. */
  readonly today: string;
}

/** Some events, a line each. */
export function EmbeddedList(
  { title, siteName, cards, looks, theme, baseUrl, href, today }: ListProps,
): VNode {
  const canonical = `${baseUrl}${href}`;
  return (
    <EmbedDocument {...{ title, siteName, theme, looks, canonical }}>
      <h1>{title}</h1>
      {cards.length === 0 ? <p class="all">Nothing at the moment.</p> : (
        <ul>
          {cards.map(({ event, classes, href }) => {
            const place = placeOf(event);
            return (
              <li>
                <Leaf event={event} classes={classes} today={today} />
                <p class="name" dir="auto">
                  <a href={`${baseUrl}${href}`} {...OUT}>{shortName(event.name, 80)}</a>
                </p>
                <p class="fine">
                  {whenInWords(event, today)}
                  {place && <bdi>{` · ${shortName(place, MAX_PLACE_LENGTH)}`}</bdi>}
                </p>
              </li>
            );
          })}
        </ul>
      )}
      <p class="all fine">
        <a href={canonical} {...OUT}>{`All events at ${siteName}`}</a>
      </p>
    </EmbedDocument>
  );
}

/** One event in its own colours. */
export function EmbeddedCard({ card, siteName, looks, theme, baseUrl, today }: {
  readonly siteName: string;
  readonly card: Card;
  readonly looks: string;
  readonly theme: EmbedTheme;
  readonly baseUrl: string;
  readonly today: string;
}): VNode {
  const { event, classes, href, logo, background } = card;
  const name = shortName(event.name, 120);
  const place = placeOf(event);
  const canonical = `${baseUrl}${href}`;
  return (
    <EmbedDocument title={name} {...{ siteName, theme, looks, canonical }}>
      <article class={`card ${classes}`}>
        {background && <img class="art" src={sizedHref(background, 400)} alt="" />}
        {logo && <img class="logo" src={sizedHref(logo, 400)} alt="" />}
        <h1 dir="auto">{name}</h1>
        <p>
          {whenInWords(event, today)}
          {place && <bdi>{` · ${shortName(place, MAX_PLACE_LENGTH)}`}</bdi>}
        </p>
        <a class="button" href={canonical} {...OUT}>More about it</a>
      </article>
    </EmbedDocument>
  );
}
