/**
 * The accounts of people who sign in. A person has one account, found by a digest of issuer and subject; the account
 * is created at the first sign-in, in one commit with its entry in this index.
 */

import { sha256 } from "../../platform/digest.ts";
import { beginAtomic } from "../../platform/kv/write.ts";
import { getEntry, listEntries } from "../../platform/kv/list.ts";
import { retryLocked } from "../../platform/kv/open.ts";
import { exactUsd } from "../../platform/money.ts";
import { makePrintable } from "../../platform/text.ts";
import { formatMinute } from "../../platform/time.ts";
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
  setAccount,
  updateAccount,
} from "./account.ts";
import {
  addChange,
  type Origin,
  type Recording,
  removeReasons,
  requirePresent,
} from "./changes.ts";
import { dayOf, endOfDay } from "../ledger/days.ts";
import { listKeys, revokeKey, updateKey } from "./key.ts";
import { RATE_WINDOW_SECONDS } from "../limits.ts";
import { indexKey } from "./reference.ts";

/** A person whom the rules have judged. */
interface AdmittedPerson {
  readonly owner: Owner;
  /** The name that the identity provider gives; null for none. */
  readonly name: string | null;
  /** Null leaves an account's verification unchanged; a new account is then verified. */
  readonly verified: boolean | null;
}

/** The account of a person, or the time from which the person may have a new one (epoch milliseconds). */
type Welcome =
  | { readonly kind: "account"; readonly account: Account }
  | { readonly kind: "departed"; readonly until: number };

/** What an operator has set for a person, which outlives the account that it was set for. */
export interface Restriction
  extends Pick<Account, "limitNanoUsd" | "grant" | "banned" | "verified"> {
  /** The UTC day on which the account was deleted. */
  readonly day: string;
}

/** The name of a member without one. */
const NAMELESS = "Member";
const DELETED = "Deleted account";

/** Contains no text about a person, and is short enough for a key. */
export function digestOfPerson({ issuer, subject }: Owner): string {
  return sha256(JSON.stringify([issuer, subject]));
}

const accountOfPersonKey = (owner: Owner): Deno.KvKey => [
  "account_of_person",
  digestOfPerson(owner),
];

/** Marks a person who has just deleted an account, who would otherwise have a second daily limit or rate limit. */
const departedKey = (owner: Owner): Deno.KvKey => ["departed", digestOfPerson(owner)];

const RESTRICTIONS: Deno.KvKey = ["restriction"];
const restrictionKey = (digest: string): Deno.KvKey => [...RESTRICTIONS, digest];

/** How the record of changes treats each member of a restriction that is lifted. */
const MEMBERS: Readonly<Record<keyof Restriction, Recording | null>> = {
  day: null,
  limitNanoUsd: { what: "lift" },
  grant: { what: "lift" },
  banned: { what: "lift" },
  verified: { what: "lift" },
};

/**
 * Finds or creates the account of a person, and brings its name and verification up to date.
 *
 * @param now epoch milliseconds.
 */
export async function welcomePerson(
  kv: Deno.Kv,
  person: AdmittedPerson,
  now: number,
): Promise<Welcome> {
  const { owner, verified } = person;
  const name = toAccountName(person.name);
  for (;;) {
    const entry = await getEntry<string>(kv, accountOfPersonKey(owner));
    if (entry.value !== null) {
      // It is deleted if its owner has deleted it since the index was read.
      const change = { name, isWithdrawn: false, ...verified !== null && { verified } };
      const account = await updateAccount(kv, entry.value, change, ownersOwn(entry.value, now));
      if (account !== null) return { kind: "account", account };
    }
    const departed = await getEntry<number>(kv, departedKey(owner));
    if (departed.value !== null && departed.value > now) {
      return { kind: "departed", until: departed.value };
    }
    const restriction = await getEntry<Restriction>(kv, restrictionKey(digestOfPerson(owner)));
    const { limitNanoUsd = null, grant, banned = false, verified: wasVerified = true } =
      restriction.value ?? {};
    const asked = { name, limitNanoUsd, verified: verified ?? wasVerified };
    const account: Account = { ...buildAccount(asked, now), banned, ...grant && { grant }, owner };
    // From now on the account itself holds what was set, and an operator changes it there.
    const operation = beginAtomic(kv).check(entry).check(departed).check(restriction)
      .set(entry.key, account.id).delete(restriction.key);
    if (await commitAccount(kv, operation, account, ownersOwn(account.id, now))) {
      return { kind: "account", account };
    }
  }
}

/**
 * Refuses the keys of a person who is no longer admitted; returns the id of the account, or null if there is none.
 *
 * @param now epoch milliseconds.
 */
export async function withdrawPerson(
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
 * the reason of a ban and the owner's identity; then the labels of its keys and the reasons in the record of changes
 * are removed. The books keep the account's id, and the owner's next account has what an operator has set. The owner
 * has no other account before the day and the window of the rate limit have passed.
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
      operation.delete(accountOfPersonKey(owner))
        .set(departedKey(owner), until, { expireIn: until - now });
      const restriction = restrictionOf(account, now);
      if (restriction !== null) operation.set(restrictionKey(digestOfPerson(owner)), restriction);
    }
    if ((await retryLocked(() => operation.commit())).ok) break;
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

/** What an operator has set for the owner of an account; null if everything is as it is for a new member. */
function restrictionOf(account: Account, now: number): Restriction | null {
  const { limitNanoUsd, banned, verified } = account;
  const grant = grantOf(account, now);
  if (limitNanoUsd === null && grant === null && !banned && verified) return null;
  return { day: dayOf(now), limitNanoUsd, ...grant !== null && { grant }, banned, verified };
}

/** A restriction with the digest of its person. */
type Listed = Restriction & { readonly digest: string };

/** Yields what was set for people who have no account now. */
export async function* listRestrictions(kv: Deno.Kv): AsyncGenerator<Listed> {
  for await (const { key, value } of listEntries<Restriction>(kv, RESTRICTIONS)) {
    yield { ...value, digest: String(key.at(-1)) };
  }
}

/** A restriction in words: `banned, a daily limit of $0.50`. */
export function restrictionInWords({ banned, verified, limitNanoUsd, grant }: Restriction): string {
  return [
    ...banned ? ["banned"] : [],
    ...verified ? [] : ["not verified"],
    ...limitNanoUsd === null ? [] : [`a daily limit of ${exactUsd(limitNanoUsd)}`],
    ...grant === undefined
      ? []
      : [`a daily limit of ${exactUsd(grant.limitNanoUsd)} until ${formatMinute(grant.until)}`],
  ].join(", ");
}

/**
 * Lifts what was set for a person who has no account now. The record of changes has it under the person's digest.
 *
 * @param asked the person: a digest of {@linkcode listRestrictions}, or the subject of the sign-in at `issuer`.
 * @returns what was set, or null if nothing was.
 */
export async function liftRestriction(
  kv: Deno.Kv,
  { person, issuer }: { readonly person: string; readonly issuer?: string | undefined },
  origin: Origin,
): Promise<Listed | null> {
  const subject = issuer === undefined ? [] : [digestOfPerson({ issuer, subject: person })];
  for (const digest of [person, ...subject]) {
    const lifted = await liftByDigest(kv, digest, origin);
    if (lifted !== null) return { ...lifted, digest };
  }
  return null;
}

async function liftByDigest(
  kv: Deno.Kv,
  digest: string,
  origin: Origin,
): Promise<Restriction | null> {
  for (;;) {
    const entry = await getEntry<Restriction>(kv, restrictionKey(digest));
    const before = entry.value;
    if (before === null) return null;
    const operation = beginAtomic(kv).check(entry).delete(entry.key);
    const after = { verified: true };
    addChange(operation, { accountId: digest, members: MEMBERS, before, after }, origin);
    if ((await retryLocked(() => operation.commit())).ok) return before;
  }
}

/** Removes what was set for people who deleted an account before a day and have not come back. */
export async function removeOldRestrictions(kv: Deno.Kv, before: string): Promise<void> {
  for await (const entry of listEntries<Restriction>(kv, RESTRICTIONS)) {
    // A person who returns or deletes an account meanwhile has changed it.
    if (entry.value.day < before) {
      await retryLocked(() => beginAtomic(kv).check(entry).delete(entry.key).commit());
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
