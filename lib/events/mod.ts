/**
 * The events API's core: record stores, the snapshot, its source and the catalog.
 */

export { createAirtableStore } from "./airtable.ts";
export { answerFromCatalog, CATALOG_ERRORS, JSON_TYPES, maxAgeOf, noSuchEvent } from "./answer.ts";
export type { Catalog, CatalogAnswer, ChosenEvents, RevisedEvent } from "./catalog.ts";
export { type Columns, renameColumns } from "./columns.ts";
export { acceptLoss, type ReadFailure, readFailure, type RefusedLoss } from "./failure.ts";
export { createFileStore } from "./file.ts";
export { type CalendarEntry, type FormerEvent, meetingDays } from "./history.ts";
export { lossInWords, remedyInWords } from "./loss.ts";
export {
  dateTimeSchema,
  type Event,
  eventItemSchema,
  eventListSchema,
  type StoredEvent,
} from "./model.ts";
export {
  canonicalSearch,
  DEFAULT_FEED_LIMIT,
  FEED_DEFAULTS,
  FEED_PARAMETERS,
  LIST_DEFAULTS,
  LIST_PARAMETERS,
  type ListQuery,
  parseFeedQuery,
  parseListQuery,
} from "./query.ts";
export { createRecordParser, type RecordProblem } from "./record.ts";
export type { HeldImage, HeldImages, Snapshot } from "./snapshot.ts";
export { createEventsSource, type EventsSource, readStoredSnapshot } from "./source.ts";
export { type Dated, type Day, dayAt, type Span, spanOf } from "./status.ts";
export type { RecordStore } from "./store.ts";
export {
  EVENT_STATUSES,
  MAX_AGE_MILLISECONDS,
  MAX_LAG_MILLISECONDS,
  MAX_SKEW_MILLISECONDS,
} from "./values.ts";
