/** Money: the ledger, the only place where it moves, the books that it writes, and the limits that it keeps. */

export type { Admission, Day, Refusal } from "./admission.ts";
export { auditAccount, type BookDifference, sumServiceDays } from "./audit.ts";
export {
  type CapDay,
  type DayBook,
  dayOf,
  daysPrefix,
  daysUntil,
  EMPTY_DAY,
  endOfDay,
  type KeyCap,
  listCapDays,
  OUTBOX,
  outboxKey,
  readDayBook,
  readDayBooks,
  usageKey,
  usagePrefix,
  type UsageRecord,
  usagesPrefix,
} from "./books.ts";
export { createLedger, type Ledger } from "./ledger.ts";
export type { RateState } from "./rate_window.ts";
export {
  BOOK_DAYS,
  booksAreWholeFrom,
  removeOldDays,
  removeOldUsage,
  USAGE_DAYS,
} from "./retention.ts";
export { readServiceStatus, readServiceSum, removeOldServiceDays } from "./service_day.ts";
