/**
 * The style sheets, inline in the pages that use them: a page is drawn as soon as it arrives, without another
 * request. Compressed they are a few kilobytes, and each page needs two or three.
 */

import { asset, Head } from "fresh/runtime";
import type { VNode } from "preact";
import type { Site } from "../../lib/events/site/site.ts";
import { siteRules } from "../../lib/events/site/site_style.ts";
import { cardStyles, GROUNDS, heroStyles } from "../../lib/events/theme/card_style.ts";
import { UNLOCKED } from "./site.tsx";
import account from "../account/account.css" with { type: "text" };
import base from "../../styles/base.css" with { type: "text" };
import documents from "../documents/documents.css" with { type: "text" };
import embed from "../embed/embed.css" with { type: "text" };
import event from "../event/event.css" with { type: "text" };
import events from "../../styles/events.css" with { type: "text" };
import follow from "../follow/follow.css" with { type: "text" };
import lines from "../../styles/lines.css" with { type: "text" };
import site from "../../styles/site.css" with { type: "text" };
import status from "../status/status.css" with { type: "text" };
import tokens from "../../styles/tokens.css" with { type: "text" };
import usage from "../usage/usage.css" with { type: "text" };
import home from "../home/home.css" with { type: "text" };

/** The path of the display font, which `tokens.css` names too. */
const FONT = "/fonts/bricolage-grotesque.woff2";

const VALUES = `:root{--ground:light-dark(${GROUNDS.light},${GROUNDS.dark})}\n${tokens}`;

/** The sheet of a page for a frame: lines and posters without the site's own fonts. */
export const EMBED_SHEET = minified(
  VALUES.replaceAll(/@font-face {[^}]*}/g, "") + base + cardStyles() + events + lines + embed,
);

const SHEETS = {
  site: minified(VALUES + base + site),
  // First, so that the print rules of the sheet override them.
  events: minified(cardStyles() + events),
  event: minified(heroStyles() + event),
  home: minified(lines + home),
  documents: minified(documents + status + usage),
  follow: minified(follow),
  account: minified(account),
} as const;

/** The font of headings, which a page asks for before it is laid out. */
export function fontLink({ font }: Site): VNode {
  const href = font?.href ?? asset(FONT);
  return (
    <link
      rel="preload"
      href={href}
      as="font"
      type="font/woff2"
      crossorigin="anonymous"
      {...UNLOCKED}
    />
  );
}

/** A sheet as an element of the page's head. */
export function sheetStyle(name: keyof typeof SHEETS): VNode {
  return (
    <style
      key={`${name}-css`}
      // deno-lint-ignore react-no-danger -- our own file
      dangerouslySetInnerHTML={{ __html: withFont(SHEETS[name]) }}
    />
  );
}

/** The head of a page with events: their sheets, and the `rules` of the events. */
export function EventStyles({ page, rules }: {
  readonly page: "home" | "event";
  readonly rules: string;
}) {
  return (
    <Head>
      {sheetStyle("events")}
      {sheetStyle(page)}
      <style
        key="themes"
        id="themes"
        // Numbers and #rrggbb, written by lib/events/theme/theme.ts; no typed text is in it.
        // deno-lint-ignore react-no-danger
        dangerouslySetInnerHTML={{ __html: rules }}
      />
    </Head>
  );
}

/** The rules of a site's own look, after the site's sheet; null for the usual look. */
export function siteStyle(site: Site): VNode | null {
  const rules = siteRules(site);
  if (rules === "") return null;
  // deno-lint-ignore react-no-danger -- made of checked values by lib/events/site/site_style.ts
  return <style key="own-css" dangerouslySetInnerHTML={{ __html: rules }} />;
}

/** The content of every style element that {@linkcode sheetStyle} makes. */
export function sheetTexts(): readonly string[] {
  return Object.values(SHEETS).map(withFont);
}

/** A sheet with the font's address of this build, so that browsers keep the font. */
function withFont(sheet: string): string {
  return sheet.replace(`"${FONT}"`, `"${asset(FONT)}"`);
}

/** A sheet without comments and needless spaces; no text in ours looks like a comment, or has a space after a comma. */
function minified(css: string): string {
  return css.replaceAll(/\/\*[^]*?\*\//g, "")
    .replaceAll(/\s*([{};])\s*/g, "$1")
    .replaceAll(/([,:])\s+/g, "$1")
    .replaceAll(";}", "}")
    .trim();
}
