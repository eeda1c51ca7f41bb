/** What the site shows about events, and how they look. */

export { cardStyles, GROUNDS } from "./card_style.ts";
export { NAMED_COLORS } from "./color_names.ts";
export { type Color, parseColor, toOklch } from "./color.ts";
export { eventData } from "./event_data.ts";
export {
  actionOf,
  eventHref,
  type FactPart,
  factsOf,
  NO_DESCRIPTION,
  placeOf,
  requirementsOf,
  safeHref,
} from "./facts.ts";
export { SITE_LOGO } from "./logo.ts";
export { eventMarkdown, programmeMarkdown } from "./markdown.ts";
export {
  isNarrow,
  PARAMETERS,
  parseSelection,
  pastYear,
  type Selection,
  selectionHref,
  subscribeHref,
} from "./programme_query.ts";
export {
  allEvents,
  buildProgramme,
  type Group,
  type Neighbours,
  neighbours,
  pageTitle,
  pastPages,
  type Programme,
} from "./programme.ts";
export { MAX_NAME_LENGTH, MAX_PLACE_LENGTH, oneLine, shortName } from "./short_text.ts";
export { type CardLook, cardLook, lookClass, lookStyles, PATTERNS } from "./theme.ts";
export { datesInWords, dayOfWhen, leafOf, stateInWords, whenInWords } from "./words.ts";
