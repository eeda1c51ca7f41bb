/** What the site shows about events, and how they look. */

export { cardStyles, GROUNDS } from "./card_style.ts";
export { calendarLinks, mailHref } from "./calendar_links.ts";
export { NAMED_COLORS } from "./color_names.ts";
export { type Color, parseColor, toOklch } from "./color.ts";
export {
  CARD_SIZE,
  cardEmbedHref,
  embedHref,
  type EmbedTheme,
  frameHtml,
  LIST_SIZE,
  parseEmbed,
} from "./embed.ts";
export { eventData } from "./event_data.ts";
export {
  actionOf,
  detailsOf,
  type FactPart,
  NO_DESCRIPTION,
  placeOf,
  requirementsOf,
  safeHref,
  scheduleOf,
  whereInWords,
} from "./facts.ts";
export { FOLLOW, followFilters, followMarkdown, followStates, followWays } from "./follow.ts";
export { siteRules } from "./site_color.ts";
export { siteFile } from "./site_files.ts";
export { hasOwnMark, PLAIN_SITE, type Site, siteOf } from "./site.ts";
export { SITE_LOGO } from "./logo.ts";
export { eventMarkdown, programmeMarkdown } from "./markdown.ts";
export {
  EVERYTHING,
  filterSearch,
  followHref,
  isNarrow,
  pageTitle,
  parseSelection,
  PART,
  pastYear,
  type Selection,
  selectionHref,
} from "./programme_query.ts";
export { countInWords, type Counts, filterInWords } from "./filter_words.ts";
export type { Labelled } from "./subscriptions.ts";
export { type Others, othersOf } from "./others.ts";
export { allEvents, buildProgramme, type Group, pastPages, type Programme } from "./programme.ts";
export { MAX_NAME_LENGTH, MAX_PLACE_LENGTH, oneLine, shortName } from "./short_text.ts";
export { type CardLook, cardLook, lookClass, lookStyles, PATTERNS } from "./theme.ts";
export { datesInWords, dayOfWhen, leafOf, stateInWords, whenInWords } from "./words.ts";
