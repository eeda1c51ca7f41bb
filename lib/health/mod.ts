/**
 * Checks of the dependencies, the report of `/up`, and 90 days of both.
 */

export { createChecks } from "./checks.ts";
export {
  type CheckDay,
  type CheckName,
  type HealthDay,
  HISTORY_DAYS,
  historyDays,
  readHistory,
  removeOldHealth,
  WATCHED_NAMES,
  type WatchedName,
} from "./history.ts";
export { createHealth, type Health, type HealthRecord } from "./report.ts";
