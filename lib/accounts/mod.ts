/**
 * Who may use the proxy, and what that costs: accounts, their API keys and their money. The authenticator
 * finds the account of a request by its key; the ledger reserves, settles and sweeps the request's cost.
 */

export {
  type Account,
  type AccountChange,
  accountState,
  createAccount,
  dailyLimitOf,
  findLabelFault,
  findNameFault,
  getAccount,
  isAccountId,
  listAccounts,
  updateAccount,
} from "./account.ts";
export type { Admission, Day, Refusal } from "./admission.ts";
export { auditAccount, type BookDifference, sumServiceDays } from "./audit.ts";
export { type Authenticator, type Caller, createAuthenticator } from "./authenticate.ts";
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
export { IN_FORCE_MILLISECONDS } from "./key_cache.ts";
export { createLeakReports } from "./leaked.ts";
export { createSecretScanning, labelOf } from "./secret_scanning.ts";
export { parseKeyText, redactKeys } from "./key_text.ts";
export {
  type ApiKey,
  type CreatedKey,
  createKey,
  getKey,
  keyEndsAt,
  keyState,
  listKeys,
  type NewKey,
  revokeKey,
  rotateKey,
  updateKey,
} from "./key.ts";
export {
  createReferredAccount,
  findReferenceFault,
  getAccountByReference,
  getAccountsByReference,
} from "./reference.ts";
export { getLastUses } from "./last_use.ts";
export { createLedger, type Ledger } from "./ledger.ts";
export { createOwnKey, MAX_LIVE_KEYS, rotateOwnKey } from "./own_keys.ts";
export { deleteAccount, welcomePerson, withdrawPerson } from "./owner.ts";
export { createProof, hasAccount } from "./proof.ts";
export type { RateState } from "./rate_window.ts";
export { RefusedCaller } from "./refusal.ts";
export {
  BOOK_DAYS,
  booksAreWholeFrom,
  removeOldDays,
  removeOldUsage,
  USAGE_DAYS,
} from "./retention.ts";
export {
  readServiceStatus,
  readServiceSum,
  removeOldServiceDays,
  type ServiceStatus,
} from "./service_day.ts";
