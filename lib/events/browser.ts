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
  statusOn,
} from "./values.ts";
