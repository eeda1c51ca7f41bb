/** The part of this domain that also runs in browsers. */

export {
  CARD_SIZE,
  cardEmbedHref,
  embedHref,
  type EmbedTheme,
  frameHtml,
  LIST_SIZE,
  MAX_EMBEDDED,
  parseEmbed,
} from "./embed.ts";
export { MAX_TEXT_LENGTH } from "./filter.ts";
export { filterInWords } from "./site/filter_words.ts";
export { FILTERS } from "./site/selection.ts";
