/** The part of this room that also runs in browsers and in the picture process. */

export { FOYER } from "../site_name.ts";
export { isGradient, SITE_LOGO } from "./logo_shapes.ts";
export {
  chosenFilters,
  EVERYTHING,
  FILTERS,
  followHref,
  isNarrow,
  isOver,
  PAGE_LENGTH,
  pageTitle,
  parseSelection,
  pastYear,
  type Selection,
  selectionHref,
  selectionPairs,
} from "./programme_query.ts";
export { countInWords, type Counts, eventsInWords, filterInWords } from "./filter_words.ts";
export { calendarSubscriptions, feedSubscriptions, type Where } from "./subscriptions.ts";
export type { Group, PastYear, Programme } from "./programme.ts";
export { MAX_NAME_LENGTH, MAX_PLACE_LENGTH, oneLine, shortName } from "./short_text.ts";
