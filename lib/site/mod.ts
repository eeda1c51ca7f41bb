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
  EVERYTHING,
  filterSearch,
  followHref,
  isNarrow,
  pageTitle,
  parseSelection,
  pastYear,
  type Selection,
  selectionHref,
} from "./programme_query.ts";
export { countInWords, type Counts, filterInWords } from "./filter_words.ts";
export type { Labelled } from "./subscriptions.ts";
export { type Others, othersOf } from "./others.ts";
export { allEvents, buildProgramme, type Group, pastPages, type Programme } from "./programme.ts";
export { MAX_NAME_LENGTH, MAX_PLACE_LENGTH, oneLine, shortName } from "./short_text.ts";
export { datesInWords, dayOfWhen, leafOf, stateInWords, whenInWords } from "./words.ts";
