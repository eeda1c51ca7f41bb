/**
 * The accounts of people who sign in. A person has one account, found by a digest of issuer and subject; the account
 * is created at the first sign-in, in one commit with its entry in this index.
 */

import { sha256 } from "../platform/digest.ts";
import { beginAtomic, commit, commitOnce } from "../platform/kv/write.ts";
import { getEntry, listEntries } from "../platform/kv/list.ts";
import { makePrintable } from "../platform/text.ts";
import {
  type Account,
  accountKey,
  buildAccount,
  commitAccount,
  findNameFault,
  grantOf,
  knownAccount,
  MAX_LABEL_LENGTH,
  type Owner,
  RATE_WINDOW_SECONDS,
  setAccount,
  updateAccount,
} from "./account.ts";
import { type Origin, removeReasons, requirePresent } from "./audit_log.ts";
import { dayOf, endOfDay } from "../platform/utc_days.ts";
import { listKeys, revokeKey, updateKey } from "./key.ts";
import { indexKey } from "./reference.ts";

/** A person whom the rules have judged. */
interface AdmittedPerson {
  readonly owner: Owner;
  /** The name that the identity provider gives; null for none. */
  readonly name: string | null;
  /** Null leaves an account's verification unchanged; a new account is then verified. */
  readonly verified: boolean | null;
}

/** The account that a person has deleted, and gets again on return. */
interface FormerAccount {
  readonly accountId: string;
  /** The UTC day of the deletion. */
  readonly day: string;
  /** Epoch milliseconds at which it is removed; absent if an operator has set something, which holds for 400 days. */
  readonly until?: number;
}

const NAMELESS = "Member";
const DELETED = "Deleted account";

/** Contains no text about a person, and is short enough for a key. */
function digestOfPerson({ issuer, subject }: Owner): string {
  return sha256(JSON.stringify([issuer, subject]));
}

const accountOfPersonKey = (owner: Owner): Deno.KvKey => [
  "account_of_person",
  digestOfPerson(owner),
];

const FORMER_ACCOUNTS: Deno.KvKey = ["departed"];
const formerAccountKey = (owner: Owner): Deno.KvKey => [...FORMER_ACCOUNTS, digestOfPerson(owner)];

/**
 * Finds or creates the account of a person, and brings its name and verification up to date. A person who has deleted an
 * account gets the same one again, with its limits, its restrictions and what it has spent, but without its keys.
 *
 * @param now epoch milliseconds.
 */
export async function provisionAccount(
  kv: Deno.Kv,
  { owner, name: givenName, verified }: AdmittedPerson,
  now: number,
): Promise<Account> {
  const name = toAccountName(givenName);
  for (;;) {
    const entry = await getEntry<string>(kv, accountOfPersonKey(owner));
    if (entry.value !== null) {
      // It is deleted if its owner has deleted it since the index was read.
      const change = { name, isWithdrawn: false, ...verified !== null && { verified } };
      const account = await updateAccount(kv, entry.value, change, ownersOwn(entry.value, now));
      if (account !== null) return account;
    }
    const formerAccount = await getEntry<FormerAccount>(kv, formerAccountKey(owner));
    const isKept = formerAccount.value !== null && now < (formerAccount.value.until ?? Infinity);
    const operation = beginAtomic(kv).check(entry).check(formerAccount).delete(formerAccount.key);
    const former = isKept
      ? await getEntry<Account>(kv, accountKey(formerAccount.value.accountId))
      : null;
    if (former !== null && former.value !== null) {
      const { deletedAt: _deletedAt, isWithdrawn: _isWithdrawn, ...kept } = knownAccount(
        former.value,
      );
      const account = { ...kept, name, owner, ...verified !== null && { verified } };
      operation.check(former).set(entry.key, account.id);
      setAccount(operation, former.value, account, ownersOwn(account.id, now));
      if ((await commitOnce(kv, operation, former.key, account)).ok) return account;
      continue;
    }
    const asked = { name, limitNanoUsd: null, verified: verified ?? true };
    const account: Account = { ...buildAccount(asked, now), owner };
    operation.set(entry.key, account.id);
    if (await commitAccount(kv, operation, account, ownersOwn(account.id, now))) return account;
  }
}

/**
 * Refuses the keys of a person who is no longer admitted; returns the id of the account, or null if there is none.
 *
 * @param now epoch milliseconds.
 */
export async function suspendAccount(
  kv: Deno.Kv,
  owner: Owner,
  now: number,
): Promise<string | null> {
  const { value: id } = await getEntry<string>(kv, accountOfPersonKey(owner));
  if (id === null) return null;
  return (await updateAccount(kv, id, { isWithdrawn: true }, ownersOwn(id, now)))?.id ?? null;
}

/**
 * Deletes an account, for its owner or an operator. One commit ends all its keys and removes the name, the reference,
 * the reason of a ban and the owner's identity; then the labels of its keys and the reasons in the audit log
 * are removed. The books keep the account's id. If the owner returns before the day and the window of the rate limit
 * have passed, or within 400 days if an operator has set something, they get the same account again.
 *
 * @returns whether there is such an account.
 * @throws {OutdatedError} if the origin was made from another version of the account.
 */
export async function deleteAccount(kv: Deno.Kv, id: string, origin: Origin): Promise<boolean> {
  const now = origin.at;
  const until = Math.max(endOfDay(dayOf(now)), nextMinute(now + RATE_WINDOW_SECONDS * 1000));
  for (;;) {
    const entry = await getEntry<Account>(kv, accountKey(id));
    const account = knownAccount(entry.value);
    if (account === null) return false;
    if (account.deletedAt !== undefined) break;
    requirePresent(origin, account);
    const { owner, reference, banReason: _reason, ...rest } = account;
    const operation = beginAtomic(kv).check(entry);
    setAccount(operation, account, { ...rest, name: DELETED, deletedAt: now }, origin);
    if (reference !== undefined) operation.delete(indexKey(reference));
    if (owner !== undefined) {
      const kept: FormerAccount = { accountId: id, day: dayOf(now) };
      operation.delete(accountOfPersonKey(owner));
      if (isRestricted(account, now)) operation.set(formerAccountKey(owner), kept);
      else operation.set(formerAccountKey(owner), { ...kept, until }, { expireIn: until - now });
    }
    if ((await commit(operation)).ok) break;
  }
  const { madeFrom: _ofAccount, ...ofKeys } = origin;
  for (const key of await listKeys(kv, id)) {
    await revokeKey(kv, key.id, ofKeys);
    await updateKey(kv, key.id, { label: null }, ofKeys);
  }
  await removeReasons(kv, id);
  return true;
}

/** The first whole minute from a moment on, since people are told the time to the minute. */
function nextMinute(moment: number): number {
  return Math.ceil(moment / 60_000) * 60_000;
}

/** Whether something is set for the owner of an account that is not so for a new member. */
function isRestricted(account: Account, now: number): boolean {
  const { limitNanoUsd, banned, verified } = account;
  return limitNanoUsd !== null || grantOf(account, now) !== null || banned || !verified;
}

/** Removes what is kept of people who deleted an account before a day and have not come back. */
export async function removeOldFormerAccounts(kv: Deno.Kv, before: string): Promise<void> {
  for await (const entry of listEntries<FormerAccount>(kv, FORMER_ACCOUNTS)) {
    // A person who returns or deletes an account meanwhile has changed it.
    if (entry.value.day < before) {
      await commit(beginAtomic(kv).check(entry).delete(entry.key));
    }
  }
}

/** The origin of what an owner does, by a sign-in too. */
const ownersOwn = (accountId: string, at: number): Origin => ({ at, by: { accountId } });

/** A person's name as the name of an account: one printable line of a bounded length. */
function toAccountName(given: string | null): string {
  const line = makePrintable((given ?? "").toWellFormed().replace(/\s+/g, " "), () => "").trim();
  const name = [...line].slice(0, MAX_LABEL_LENGTH).join("").trim();
  return findNameFault(name) === null ? name : NAMELESS;
}
