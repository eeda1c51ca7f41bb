/** The values and states that the events contract fixes, for code that also runs in browsers. */

export {
  compare,
  type Dated,
  EVENT_FORMATS,
  EVENT_STATUSES,
  type EventFormat,
  type EventStatus,
  MAX_LAG_MILLISECONDS,
  PROJECT_TYPES,
  type ProjectType,
  SORT_FIELDS,
  type SortField,
  statusOn,
} from "./values.ts";
