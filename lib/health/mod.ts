/**
 * The health of the service: checks of its dependencies, the report of `/up` that is made from them, and the history
 * of their results over 90 days.
 */

export { createChecks } from "./checks.ts";
export {
  CHECK_NAMES,
  type CheckName,
  HISTORY_DAYS,
  historyDays,
  readHistory,
  removeOldHealth,
  WATCHED_NAMES,
  type WatchedName,
} from "./history.ts";
export { createHealth, type HealthRecord, runChecks } from "./report.ts";
