/** The part of this room that also runs in browsers and in the picture process. */

export { type CachedProgramme, createEventCache, fetchPart } from "./browser_cache.ts";
export { PATTERN_MEASURES, SCRIM_FADE } from "./card_style.ts";
export { SITE_LOGO } from "./logo.ts";
export {
  EVERYTHING,
  isNarrow,
  MAX_TEXT_LENGTH,
  PARAMETERS,
  parseSelection,
  type Selection,
  selectionHref,
  selectionPairs,
  subscribeHref,
} from "./programme_query.ts";
export { type Group, isSmall, PAGE_LENGTH, type Programme } from "./programme.ts";
export { MAX_NAME_LENGTH, MAX_PLACE_LENGTH, oneLine, shortName } from "./short_text.ts";
export { dateIn, stateInWords, whenInWords } from "./words.ts";
