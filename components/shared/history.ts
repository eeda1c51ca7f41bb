/** The browser's history. */

import { useEffect } from "preact/hooks";

/**
 * For upstream alone: keeps Back from a `#fragment` from loading the page again; every island calls it. Upstream's script marks the entry
 * of each page with an island as one of its own navigation, and reloads on the way back to it, because this site does
 * not use that navigation (`packages/fresh/src/runtime/client/partials.ts` there). Without the mark it does nothing.
 */
export function useOwnHistory(): void {
  useEffect(() => {
    if (history.state?.fClientNav) enter("replaceState", "");
  }, []);
}

/**
 * Makes an address the history's. Safari refuses a page that does so a hundred times in half a minute: what the page
 * shows matters more than its address, which the next call puts right.
 */
export function enter(how: "pushState" | "replaceState", address: string): void {
  try {
    history[how](null, "", address);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}
