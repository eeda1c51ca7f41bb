/** The front of the proxy, with its ledger, accounts and records: everything that the rest of the service uses of them. */

export {
  type Account,
  type AccountChange,
  accountState,
  banInWords,
  createAccount,
  dailyLimitOf,
  findLabelFault,
  findNameFault,
  findReasonFault,
  getAccount,
  grantOf,
  InvalidValueError,
  listAccounts,
  MAX_REASON_LENGTH,
  updateAccount,
} from "./accounts/account.ts";
export { nameKeys } from "./accounts/account_name.ts";
export { createAuthenticator } from "./accounts/authenticate.ts";
export {
  addChange,
  type ChangeOfAccount,
  listAllChanges,
  listChanges,
  type Origin,
  OutdatedError,
  recordDeed,
  removeOldChanges,
  versionOf,
} from "./accounts/changes.ts";
export { findAccounts, listAccountsNamed } from "./accounts/find.ts";
export {
  type Imported,
  type ImportRow,
  importRows,
  MAX_IMPORT_ROWS,
  planImport,
  readImport,
} from "./accounts/import.ts";
export {
  type ApiKey,
  type CreatedKey,
  createKey,
  getKey,
  keyEndsAt,
  keyState,
  listAllKeys,
  listKeys,
  MAX_LIVE_KEYS,
  type NewKey,
  revokeKey,
  rotateKey,
  updateKey,
} from "./accounts/key.ts";
export { IN_FORCE_MILLISECONDS } from "./accounts/key_cache.ts";
export { parseKeyText, redactKeys } from "./accounts/key_text.ts";
export { getLastUses } from "./accounts/last_use.ts";
export { createLeakReports } from "./accounts/leaked.ts";
export {
  deleteAccount,
  provisionAccount,
  removeOldDepartures,
  suspendAccount,
} from "./accounts/owner.ts";
export { createProof, hasAccount } from "./accounts/durable_database.ts";
export { createReferredAccount, findReferenceFault } from "./accounts/reference.ts";
export { decisionRequestSchema } from "./decision_request.ts";
export { proxyFigures } from "./figures.ts";
export { auditAccount, type BookDifference } from "./ledger/audit.ts";
export { EMPTY_DAY, USAGE_DAYS } from "./ledger/transitions.ts";
export { correctCharge, CorrectionError } from "./ledger/correction.ts";
export { dayBefore, dayOf, daysFrom, daysUntil } from "./ledger/days.ts";
export { createLedger, type Ledger } from "./ledger/ledger.ts";
export { listAccountDays, listLatestUsage, listUsage, readDays } from "./ledger/read.ts";
export { BOOK_DAYS, removeDay } from "./ledger/retention.ts";
export { readServiceSum } from "./ledger/service_sums.ts";
export type { DaySums, UsageRecord } from "./ledger/values.ts";
export { RATE_WINDOW_SECONDS, reservationSeconds } from "./limits.ts";
export { createModels, LIST_PARAMETERS } from "./models.ts";
export { createEndpoints, createProxy, type EndpointName } from "./proxy.ts";
export { askRecords, askSums, needsRecords, RECORD_DAYS } from "./records/books.ts";
export { type ClickHouse, openClickHouse } from "./records/clickhouse.ts";
export { ClickHouseError } from "./records/clickhouse_http.ts";
export { createOutbox, fillClickHouse, readBacklog } from "./records/outbox.ts";
export {
  type Answer,
  GROUPINGS,
  type Question,
  type RefusalCount,
  type Totals,
} from "./records/question.ts";
export { type Refusal, REFUSAL_DAYS, refusalInWords, statusOfCode } from "./records/refusal.ts";
export {
  countRefusals,
  createRefusalRecorder,
  listRefusals,
  type RefusalRecorder,
} from "./records/refusals.ts";
export { parseRequestJson } from "./request_json.ts";
export { unknownAddress } from "./unknown_address.ts";
export { retryAdvice } from "./wait.ts";
export { type DayUsage, getUsage, type Usage, USAGE_PARAMETERS, usageSchema } from "./usage.ts";
