/** For upstream alone: the browser's history stays as the page's own links make it. */

import { useEffect } from "preact/hooks";

/**
 * Keeps Back from a `#fragment` from loading the page again; every island calls it. Upstream's script marks the entry
 * of each page with an island as one of its own navigation, and reloads on the way back to it, because this site does
 * not use that navigation (`packages/fresh/src/runtime/client/partials.ts` there). Without the mark it does nothing.
 */
export function useOwnHistory(): void {
  useEffect(() => {
    if (history.state?.fClientNav) history.replaceState(null, "");
  }, []);
}
