/** What the site shows about events, and how they look. */

export { cardStyles, GROUNDS } from "./card_style.ts";
export { calendarLinks, type Labelled, mailHref } from "./calendar_links.ts";
export { NAMED_COLORS } from "./color_names.ts";
export { type Color, parseColor, toOklch } from "./color.ts";
export { eventData } from "./event_data.ts";
export {
  actionOf,
  detailsOf,
  eventHref,
  type FactPart,
  NO_DESCRIPTION,
  placeOf,
  requirementsOf,
  safeHref,
  scheduleOf,
  whereInWords,
} from "./facts.ts";
export { FOLLOW, followLimits, followMarkdown, followStates, followWays } from "./follow.ts";
export { SITE_LOGO } from "./logo.ts";
export { eventMarkdown, programmeMarkdown } from "./markdown.ts";
export {
  EVERYTHING,
  followHref,
  isNarrow,
  PARAMETERS,
  parseSelection,
  pastYear,
  type Selection,
  selectionHref,
  subscribeHref,
} from "./programme_query.ts";
export { type Others, othersOf } from "./others.ts";
export {
  allEvents,
  buildProgramme,
  type Group,
  pageTitle,
  pastPages,
  type Programme,
} from "./programme.ts";
export { MAX_NAME_LENGTH, MAX_PLACE_LENGTH, oneLine, shortName } from "./short_text.ts";
export { type CardLook, cardLook, lookClass, lookStyles, PATTERNS } from "./theme.ts";
export { datesInWords, dayOfWhen, leafOf, stateInWords, whenInWords } from "./words.ts";
