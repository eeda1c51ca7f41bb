/**
 * The health of the service: checks of its dependencies, the report of `/up` that is made from them, and the history
 * of their results over 90 days.
 */

export { createChecks } from "./checks.ts";
export {
  type CheckName,
  HISTORY_DAYS,
  historyDays,
  readHistory,
  removeOldHealth,
  WATCHED_NAMES,
  type WatchedName,
} from "./history.ts";
export { createHealth, type HealthRecord } from "./report.ts";
