/** The texts of pages about events, and the look of an organisation. */

export { calendarLinks, mailHref } from "./calendar_links.ts";
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
export { accentRules, siteRules } from "./site_style.ts";
export {
  iconLink,
  PNG_ICONS,
  sharedIcon,
  type SiteFile,
  siteFile,
  touchIconHref,
} from "./site_files.ts";
export { letterColors, type MarkColors, markColors } from "./site_color.ts";
export {
  firstLetter,
  fontHref,
  hasOwnMark,
  isIcon,
  isWordmark,
  logoHref,
  lookVersion,
  markVersion,
  PLAIN_SITE,
  showsName,
  type Site,
  type SiteFont,
  type SiteLogo,
  siteOf,
} from "./site.ts";
export {
  type Gradient,
  isGradient,
  type LogoColor,
  type LogoDrawing,
  type LogoPaint,
  type LogoShape,
  type LogoStroke,
  type Matrix,
  SITE_LOGO,
} from "./logo_shapes.ts";
export { writeSvg } from "./logo_svg.ts";
export { eventMarkdown, programmeMarkdown } from "./markdown.ts";
export {
  chosenFilters,
  EVERYTHING,
  FILTERS,
  filterSearch,
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
export { calendarSubscriptions, feedSubscriptions, type Labelled } from "./subscriptions.ts";
export { type Others, othersOf } from "./others.ts";
export {
  allEvents,
  buildProgramme,
  type Group,
  pastPages,
  type PastYear,
  type Programme,
} from "./programme.ts";
export { MAX_NAME_LENGTH, MAX_PLACE_LENGTH, oneLine, shortName } from "./short_text.ts";
export { datesInWords, dayOfWhen, leafOf, stateInWords, whenInWords } from "./words.ts";
