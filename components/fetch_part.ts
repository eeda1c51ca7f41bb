/** The part of a page that depends on the selection, fetched from the server. */

import type { Counts } from "../lib/site/browser.ts";

/**
 * Fetches the content of a page without the document around it, and how many events match; null if the response has
 * not both.
 *
 * @param version becomes part of the address, so that browsers cache one response for each.
 */
export function fetchPart(
  href: string,
  signal: AbortSignal,
  version = "",
): Promise<Counts & { readonly document: Document } | null> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    // The only document parser that Trusted Types allow: its scripts never run.
    request.responseType = "document";
    const part = `part${version === "" ? "" : `=${encodeURIComponent(version)}`}`;
    request.open("GET", `${href}${href.includes("?") ? "&" : "?"}${part}`);
    const stop = () => request.abort();
    signal.addEventListener("abort", stop);
    // Occurs after success, failure and abort alike.
    request.onloadend = () => {
      signal.removeEventListener("abort", stop);
      const document = request.status === 200 ? request.responseXML : null;
      const numberOf = (name: string) =>
        Number(document?.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content ?? NaN);
      const [count, past] = [numberOf("count"), numberOf("past")];
      resolve(document && count >= 0 && past >= 0 ? { document, count, past } : null);
    };
    request.send();
  });
}
