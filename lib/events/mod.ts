/**
 * Events, from the record store to a response. The source reads a record store into a snapshot that all isolates
 * share; the catalog answers queries from that snapshot.
 */

export { createAirtableStore, createChangeReader, recordLink } from "./airtable/store.ts";
export { callAirtable } from "./airtable/api.ts";
export { createHookKeeper, type HookKeeper, readHook } from "./airtable/hook.ts";
export {
  type CallCounter,
  type CallsOfMonth,
  createCallCounter,
  readCalls,
} from "./airtable/calls.ts";
export {
  CATALOG_ERRORS,
  JSON_TYPES,
  noSuchEvent,
  requireAcceptable,
  sendFromCatalog,
} from "./response.ts";
export type { Catalog, CatalogResponse, ChosenEvents, RevisedEvent } from "./catalog.ts";
export { createFileStore } from "./file.ts";
export { type CalendarEntry, type FormerEvent, meetingDays } from "./history.ts";
export {
  acceptLoss,
  lossInWords,
  type ReadFailure,
  readFailure,
  type RefusedLoss,
  remedyInWords,
} from "./failure.ts";
export {
  dateTimeSchema,
  type Event,
  eventItemSchema,
  eventListSchema,
  type StoredEvent,
} from "./model.ts";
export { canonicalLink, eventHref, partHref } from "./links.ts";
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
export { createRecordParser } from "./record.ts";
export type { HeldImage, Snapshot } from "./snapshot.ts";
export type { RecordStore } from "./store.ts";
export { createEventsSource, readStoredSnapshot } from "./source.ts";
export {
  changeSourceOf,
  notificationsMistake,
  readRefresh,
  type RefreshReport,
} from "./freshness.ts";
export {
  type Dated,
  type Day,
  dayAt,
  MAX_AGE_MILLISECONDS,
  MAX_LAG_MILLISECONDS,
  MAX_SKEW_MILLISECONDS,
} from "./values.ts";
