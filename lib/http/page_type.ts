/** The representation of a page that a request prefers: HTML, or its markdown twin. */

import { chooseMediaType } from "./negotiate.ts";
import { pathOf } from "./url.ts";

/** The media types of pages; the first one is the default. */
export const PAGE_TYPES = ["text/html", "text/markdown"] as const;
/** A media type of a page. */
export type PageType = typeof PAGE_TYPES[number];

/** The ending of a twin's address. */
const TWIN = ".md";

/**
 * The type that a request prefers, or null if its `Accept` excludes both. The twin's address is always markdown.
 * A field that names only other types, without excluding these, is ignored (RFC 9110, section 12.5.1, allows
 * it), since a page helps more than a refusal.
 */
export function choosePageType(
  { url, headers }: Pick<Request, "url" | "headers">,
): PageType | null {
  if (pathOf(url).endsWith(TWIN)) return "text/markdown";
  const accept = headers.get("accept");
  const chosen = chooseMediaType(accept, PAGE_TYPES);
  if (chosen !== null || accept === null || /\*\/\*\s*;/.test(accept)) return chosen;
  // The field lists types without excluding others, so pages are added to it.
  return chooseMediaType(`${accept}, */*;q=0.001`, PAGE_TYPES);
}

/** The address of a page's markdown: `/index.md` for `/`, else the path with `.md` appended. */
export function twinOf(address: string): string {
  const [path = "", search] = address.split("?", 2);
  const twin = path === "/" ? `/index${TWIN}` : `${path}${TWIN}`;
  return search === undefined ? twin : `${twin}?${search}`;
}

/** A name from an address, without a twin's ending. */
export function withoutTwin(name: string): string {
  return name.endsWith(TWIN) ? name.slice(0, -TWIN.length) : name;
}
