/** The display face: where it is, and when a page asks for it. */

import { asset } from "fresh/runtime";
import type { VNode } from "preact";

/** As `tokens.css` names it. */
export const FACE = "/fonts/bricolage-grotesque.woff2";

/** Of a page's head one of the two: what a page puts there takes the place of what every page has. */
const KEY = "face";

/**
 * Until the page has been drawn its headings are in a face of the system, so that nothing comes between the page
 * and its pictures: one that `tokens.css` gives the measures of ours, or, where the system has none of those, its
 * plain one, whose lines may break elsewhere. The clock is set first, for browsers that cannot observe. Whoever
 * comes from another page of this site has the face already and sees no other; without a script, all see ours as
 * soon as it has come.
 */
export const FACE_LATER = 'if(!document.referrer.startsWith(origin+"/")){' +
  "const{dataset}=document.documentElement,show=()=>delete dataset.plain;" +
  'dataset.plain="";' +
  'setTimeout(show,3e3);new PerformanceObserver(show).observe({type:"paint",buffered:true})}';

/** The face is asked for before all else, on pages of text. */
export function facePreload(): VNode {
  return (
    <link
      key={KEY}
      rel="preload"
      href={asset(FACE)}
      as="font"
      type="font/woff2"
      crossorigin="anonymous"
    />
  );
}

/** The face is asked for once the page has been drawn, on pages that have a script anyhow. */
export function faceLater(): VNode {
  return (
    <script
      key={KEY}
      // deno-lint-ignore react-no-danger -- our own text
      dangerouslySetInnerHTML={{ __html: FACE_LATER }}
    />
  );
}
