/** The display font: where it is, and when a page loads it. */

import { asset } from "fresh/runtime";
import type { VNode } from "preact";
import { fontHref, type Site } from "../../lib/events/mod.ts";

/** The font's path, which `tokens.css` names too. */
export const FONT = "/fonts/bricolage-grotesque.woff2";

/** A head keeps one element per key, so a page's `loadFontLate` replaces the `preloadFont` that every page has. */
const KEY = "font";

/**
 * Keeps headings in a system font until the page has been painted, so that the display font does not delay the
 * page's pictures. `tokens.css` adjusts the system font to the measures of the display font; on a system without it,
 * lines may break differently. Visitors from another page of this site have the font already and see no change.
 * Without a script the font shows as soon as it has loaded. The timer is set first, for browsers that cannot observe
 * paints.
 */
export const FONT_SCRIPT = 'if(!document.referrer.startsWith(origin+"/")){' +
  "const{dataset}=document.documentElement,show=()=>delete dataset.plain;" +
  'dataset.plain="";' +
  'setTimeout(show,3e3);new PerformanceObserver(show).observe({type:"paint",buffered:true})}';

/** Loads the font before everything else, on pages of text. */
export function preloadFont({ font }: Site): VNode {
  return (
    <link
      key={KEY}
      rel="preload"
      href={font === null ? asset(FONT) : fontHref(font)}
      as="font"
      type="font/woff2"
      crossorigin="anonymous"
    />
  );
}

/** Loads the font after the first paint, on pages that run a script already. */
export function loadFontLate(): VNode {
  return (
    <script
      key={KEY}
      // deno-lint-ignore react-no-danger -- our own text
      dangerouslySetInnerHTML={{ __html: FONT_SCRIPT }}
    />
  );
}
