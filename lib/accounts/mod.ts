/**
 * Accounts, API keys, and the ledger: the one place where money moves.
 */

export {
  type Account,
  type AccountChange,
  accountState,
  createAccount,
  findNameFault,
  getAccount,
  isAccountId,
  listAccounts,
  updateAccount,
} from "./account.ts";
export { type Authenticator, type Caller, createAuthenticator } from "./authenticate.ts";
export {
  type DayBook,
  dayOf,
  daysUntil,
  EMPTY_DAY,
  endOfDay,
  type Hold,
  OUTBOX,
  outboxKey,
  readDayBook,
  readDayBooks,
  usageKey,
  type UsageRecord,
} from "./books.ts";
export { IN_FORCE_MILLISECONDS } from "./key_cache.ts";
export { redactKeys } from "./key_text.ts";
export {
  type ApiKey,
  type CreatedKey,
  createKey,
  getKey,
  keyEndsAt,
  keyState,
  listKeys,
  revokeKey,
  rotateKey,
} from "./key.ts";
export { findLabelFault } from "./label.ts";
export { getLastUses } from "./last_use.ts";
export { type Admission, createLedger, type Day, type Ledger, type Refusal } from "./ledger.ts";
export type { RateState } from "./rate_window.ts";
export { RefusedCaller } from "./refusal.ts";
export { removeOldDays, removeOldUsage } from "./retention.ts";
