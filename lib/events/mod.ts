/**
 * Events, from the record store to a response. The source reads a record store into a snapshot that all isolates
 * share; the catalog answers queries from that snapshot.
 */

export { createAirtableStore, createChangeReader, recordLink } from "./airtable/store.ts";
export { callAirtable } from "./airtable/api.ts";
export { createHookKeeper, readHook } from "./airtable/hook.ts";
export {
  type CallCounter,
  type CallsOfMonth,
  createCallCounter,
  readCalls,
} from "./airtable/calls.ts";
export type { Catalog, CatalogResponse, ChosenEvents, RevisedEvent } from "./catalog.ts";
export { createFileStore } from "./file.ts";
export { createRecordParser } from "./record.ts";
export { lastDay, matcherOf, textMatcherOf } from "./match.ts";
export { type CalendarEntry, type FormerEvent, meetingDays } from "./history.ts";
export {
  canonicalLink,
  dateTimeSchema,
  type Event,
  eventHref,
  eventItemSchema,
  eventListSchema,
  partHref,
  type StoredEvent,
} from "./model.ts";
export {
  DEFAULT_FEED_LIMIT,
  FEED_DEFAULTS,
  LIST_DEFAULTS,
  LIST_PARAMETERS,
  parseCalendarQuery,
  type ParsedQuery,
  parseFeedQuery,
  parseListQuery,
  parseRssQuery,
} from "./query.ts";
export type { HeldImage, Snapshot } from "./snapshot.ts";
export {
  acceptLoss,
  type ReadFailure,
  readFailure,
  type RecordStore,
  type RefusedLoss,
} from "./store.ts";
export { lossInWords, remedyInWords } from "./store_read.ts";
export {
  CATALOG_ERRORS,
  createEventsSource,
  JSON_TYPES,
  noSuchEvent,
  readStoredSnapshot,
  requireAcceptable,
  sendFromCatalog,
} from "./source.ts";
export {
  changeSourceOf,
  notificationsMistake,
  readRefresh,
  type RefreshReport,
} from "./freshness.ts";
export {
  type Dated,
  dayAt,
  MAX_AGE_MILLISECONDS,
  MAX_LAG_MILLISECONDS,
  MAX_SKEW_MILLISECONDS,
} from "./values.ts";
