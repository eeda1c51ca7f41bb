/** The values that the events contract fixes, for code that also runs in browsers. */

export {
  compare,
  EVENT_FORMATS,
  EVENT_STATUSES,
  type EventFormat,
  type EventStatus,
  MAX_LAG_MILLISECONDS,
  PROJECT_TYPES,
  type ProjectType,
} from "./values.ts";
