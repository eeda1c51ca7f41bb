/** The values and states of the events API, and the filters, for code that also runs in browsers. */

export {
  type Filter,
  FILTER_PARAMETERS,
  filterOf,
  filterPairs,
  isReversed,
  MAX_TEXT_LENGTH,
  NO_FILTER,
  type Pair,
  searchOfPairs,
} from "./filter.ts";
export {
  compare,
  type Dated,
  EVENT_STATUSES,
  type EventFormat,
  type EventStatus,
  PROJECT_TYPES,
  type ProjectType,
  statusOn,
} from "./values.ts";
