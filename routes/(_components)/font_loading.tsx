/** The display font: where it is, and when a page loads it. */

import { asset } from "fresh/runtime";
import type { VNode } from "preact";

/** As `tokens.css` names it. */
export const FONT = "/fonts/bricolage-grotesque.woff2";

/** A page's head has one element of this key: `loadFontLate` on a page replaces the `preloadFont` of every page. */
const KEY = "font";

/**
 * Keeps headings in a system font until the page has been painted, so that the display font does not delay the
 * page's pictures. `tokens.css` gives that font the measures of ours; where the system lacks it, lines may break
 * elsewhere. Visitors from another page of this site have the font already and see no change, and without a script
 * the font shows as soon as it has loaded. The timer comes first, for browsers that cannot observe paints.
 */
export const FONT_SCRIPT = 'if(!document.referrer.startsWith(origin+"/")){' +
  "const{dataset}=document.documentElement,show=()=>delete dataset.plain;" +
  'dataset.plain="";' +
  'setTimeout(show,3e3);new PerformanceObserver(show).observe({type:"paint",buffered:true})}';

/** Loads the font before everything else, on pages of text. */
export function preloadFont(): VNode {
  return (
    <link
      key={KEY}
      rel="preload"
      href={asset(FONT)}
      as="font"
      type="font/woff2"
      crossorigin="anonymous"
    />
  );
}

/** Loads the font after the first paint, on pages that have a script anyhow. */
export function loadFontLate(): VNode {
  return (
    <script
      key={KEY}
      // deno-lint-ignore react-no-danger -- our own text
      dangerouslySetInnerHTML={{ __html: FONT_SCRIPT }}
    />
  );
}
