/**
 * The right to use the proxy: accounts, their API keys, and the people who own them. The authenticator finds the
 * account of a request by its key.
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
  listAccounts,
  updateAccount,
} from "./account.ts";
export { type Authenticator, type Caller, createAuthenticator } from "./authenticate.ts";
export { CHANGE_DAYS, listChanges, type Origin, removeOldChanges } from "./changes.ts";
export { IN_FORCE_MILLISECONDS } from "./key_cache.ts";
export { createLeakReports } from "./leaked.ts";
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
export { createOwnKey, MAX_LIVE_KEYS, rotateOwnKey } from "./own_keys.ts";
export { deleteAccount, removeOldRestrictions, welcomePerson, withdrawPerson } from "./owner.ts";
export { createProof, hasAccount } from "./proof.ts";
export { RefusedCaller } from "./refusal.ts";
