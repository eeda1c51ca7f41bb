/** The front of the events: everything that the rest of the service uses of them. */

export { callAirtable, createPace } from "./airtable/api.ts";
export {
  type CallCounter,
  type CallsOfMonth,
  createCallCounter,
  readCalls,
} from "./airtable/calls.ts";
export { createHookKeeper } from "./airtable/hook.ts";
export { createAirtableStore, recordLink } from "./airtable/store.ts";
export type { Catalog } from "./catalog.ts";
export { descriptionHtml, descriptionText } from "./description.ts";
export {
  ATOM_FEED,
  CALENDAR,
  type FeedKind,
  JSON_FEED,
  prepareEventCalendar,
  prepareFeed,
  RSS_FEED,
} from "./feeds/feeds.ts";
export { prepareSitemap } from "./feeds/sitemap.ts";
export {
  CARD_SIZE,
  cardEmbedHref,
  embedHref,
  type EmbedTheme,
  frameHtml,
  LIST_SIZE,
  parseEmbed,
} from "./embed.ts";
export { createFileStore } from "./file.ts";
export { MAX_TEXT_LENGTH } from "./filter.ts";
export {
  readRefresh,
  refreshPolicyOf,
  type RefreshReport,
  storeNotification,
} from "./freshness.ts";
export { createLook } from "./look/look.ts";
export {
  effectInWords,
  lossInWords,
  LOST_COLUMN_REMEDY,
  type LostColumn,
  lostColumnInWords,
  remedyInWords,
} from "./loss.ts";
export {
  dateTimeSchema,
  type Event,
  eventHref,
  eventItemSchema,
  type EventList,
  eventListSchema,
  partHref,
} from "./model.ts";
export { type LookUp, lookUpName } from "./pictures/fetch_file.ts";
export {
  createImages,
  heldImage,
  imageHref,
  type ImageRole,
  imageVersion,
  parseWidth,
  sizedHref,
} from "./pictures/images.ts";
export { SHARING_SIZE } from "./pictures/painter.ts";
export { createPictures, type MakePicture } from "./pictures/picture_process.ts";
export { createSharingPictures } from "./pictures/sharing_pictures.ts";
export {
  DEFAULT_FEED_LIMIT,
  FEED_DEFAULTS,
  LIST_DEFAULTS,
  LIST_PARAMETERS,
  parseListQuery,
} from "./query.ts";
export { isSamePlace, type OfferedPlace, type OfferedPlaces } from "./places.ts";
export { createRecordParser, groupProblems } from "./record.ts";
export {
  CATALOG_ERRORS,
  FEED_ERRORS,
  JSON_TYPES,
  noSuchEvent,
  requireAcceptable,
  requireNotWithdrawn,
  sendFromCatalog,
  sendList,
} from "./respond.ts";
export { calendarLinks, mailHref } from "./site/calendar_links.ts";
export { eventData } from "./site/event_data.ts";
export {
  actionOf,
  detailsOf,
  type FactPart,
  NO_DESCRIPTION,
  requirementsOf,
  scheduleOf,
} from "./site/facts.ts";
export { countInWords, type Counts, eventsInWords, filterInWords } from "./site/filter_words.ts";
export {
  calendarSubscriptions,
  chooseLink,
  FOLLOW,
  followMarkdown,
  followWays,
} from "./site/follow.ts";
export {
  allEvents,
  buildListing,
  type Group,
  type Listing,
  offeredPlaces,
  type PastYear,
} from "./site/listing.ts";
export { eventMarkdown, eventsMarkdown, listingMarkdown } from "./site/markdown.ts";
export { OTHERS, othersOf } from "./site/others.ts";
export {
  chosenFilters,
  EVERYTHING,
  FILTERS,
  filterSearch,
  followHref,
  isNarrow,
  isOver,
  pageTitle,
  parseSelection,
  pastYear,
  PERIOD_CHOICES,
  type Selection,
  selectionHref,
  selectionPairs,
} from "./site/selection.ts";
export { MAX_NAME_LENGTH, MAX_PLACE_LENGTH, oneLine, shortName } from "./site/short_text.ts";
export {
  hasOwnMark,
  type Labelled,
  lookVersion,
  PLAIN_SITE,
  showsName,
  type Site,
  SITE_LOGO,
  siteOf,
} from "./site/site.ts";
export { iconLink, siteFile } from "./site/site_files.ts";
export { accentRules, accentsOf, siteRules } from "./site/site_style.ts";
export type { Snapshot } from "./snapshot.ts";
export { createEventsSource } from "./source.ts";
export {
  acceptLoss,
  type ReadFailure,
  readFailure,
  type RecordStore,
  type RefusedLoss,
} from "./store.ts";
export { acceptLostColumns, readStoredSnapshot } from "./stored.ts";
export { cardStyles, GROUNDS, heroStyles } from "./theme/card_style.ts";
export { type CardLook, cardTheme, lookClass, lookStyles, plainLook } from "./theme/theme.ts";
export { MAX_AGE_MILLISECONDS, MAX_LAG_MILLISECONDS } from "./values.ts";
export {
  datesInWords,
  dayOfWhen,
  leafOf,
  nameOfMonth,
  placeOf,
  stateInWords,
  whenInWords,
  whereInWords,
} from "./words.ts";
