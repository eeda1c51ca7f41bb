/** Which representation of a page a request asks for: HTML, or its markdown twin. */

import { chooseMediaType } from "./negotiate.ts";
import { pathOf } from "./path.ts";

/** What a page can be answered as; the first one answers whoever does not say. */
export const PAGE_TYPES = ["text/html", "text/markdown"] as const;
/** A media type of a page. */
export type PageType = typeof PAGE_TYPES[number];

/** What the address of a twin ends in. */
const TWIN = ".md";

/**
 * The representation that a request asks for, or null if its `Accept` excludes both. The twin's address
 * is markdown whatever the field says; a field that only names types that no page has is passed over
 * (RFC 9110, section 12.5.1, allows it), since a page helps more than a refusal.
 */
export function choosePageType(
  { url, headers }: Pick<Request, "url" | "headers">,
): PageType | null {
  if (pathOf(url).endsWith(TWIN)) return "text/markdown";
  const accept = headers.get("accept");
  const chosen = chooseMediaType(accept, PAGE_TYPES);
  if (chosen !== null || accept === null || /\*\/\*\s*;/.test(accept)) return chosen;
  // Whoever lists types without refusing the rest is asked again, as if the rest were there.
  return chooseMediaType(`${accept}, */*;q=0.001`, PAGE_TYPES);
}

/** The address of a page's markdown: `/index.md` for `/`, else the path with `.md` behind it. */
export function twinOf(address: string): string {
  const [path = "", search] = address.split("?", 2);
  const twin = path === "/" ? `/index${TWIN}` : `${path}${TWIN}`;
  return search === undefined ? twin : `${twin}?${search}`;
}

/** A name from an address without the ending of a twin. */
export function withoutTwin(name: string): string {
  return name.endsWith(TWIN) ? name.slice(0, -TWIN.length) : name;
}
