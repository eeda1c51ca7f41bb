/**
 * Embeds: the list of events and single cards in pages of other sites, in frames. What an address asks for, and the
 * HTML that such a page needs.
 */

import { type Filter, FILTER_PARAMETERS, filterOf, filterPairs, searchOfPairs } from "../filter.ts";
import { escapeHtml } from "../../platform/escape.ts";
import { oneOf, parseQuery, wholeNumber } from "../../platform/parameters.ts";

/** How an embed looks: `auto` follows the visitor's system. */
const EMBED_THEMES = ["auto", "light", "dark"] as const;
/** One of {@linkcode EMBED_THEMES}. */
export type EmbedTheme = typeof EMBED_THEMES[number];
/** The most events of a list, and how many it has by default. */
const MAX_EMBEDDED = 10;
export const DEFAULT_EMBEDDED = 5;

/** The content of an embedded list. */
interface Embed {
  readonly filter: Filter;
  readonly limit: number;
  readonly theme: EmbedTheme;
}

const EMBED_PARAMETERS = {
  ...FILTER_PARAMETERS,
  limit: wholeNumber(1, MAX_EMBEDDED),
  theme: oneOf(EMBED_THEMES),
};

/** The sizes of frames, in CSS pixels. */
export const LIST_SIZE = { width: 480, height: 420 } as const;
export const CARD_SIZE = { width: 400, height: 480 } as const;

/**
 * Reads a query string, with or without its `?`. Unknown parameters and invalid values are ignored, because the page
 * is for people.
 */
export function parseEmbed(search: string): Embed {
  const given = parseQuery(search, EMBED_PARAMETERS, "nothing");
  const { limit = DEFAULT_EMBEDDED, theme = "auto" } = given;
  return { filter: filterOf(given), limit, theme };
}

/** The address of an embedded list, the same for all query strings that mean it. */
export function embedHref({ filter, limit, theme }: Embed): string {
  const pairs = filterPairs(filter, [
    ["limit", limit === DEFAULT_EMBEDDED ? "" : `${limit}`],
    ["theme", theme === "auto" ? "" : theme],
  ]);
  return `/embed${searchOfPairs(pairs)}`;
}

/** The address of an embedded card. */
export function cardEmbedHref(slug: string, theme: EmbedTheme): string {
  return `/embed/${encodeURIComponent(slug)}${theme === "auto" ? "" : `?theme=${theme}`}`;
}

/** A frame as HTML. `title` is what screen readers call it. */
export function frameHtml(
  url: string,
  title: string,
  { width, height }: { readonly width: number; readonly height: number },
): string {
  return `<iframe src="${escapeHtml(url)}" title="${escapeHtml(title)}" width="${width}" ` +
    `height="${height}" style="border:0;max-width:100%" loading="lazy"></iframe>`;
}
