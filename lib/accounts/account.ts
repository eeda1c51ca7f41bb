/** Accounts: who may use the proxy, and how much each may spend in a day. An account is never removed. */

import { isDeepStrictEqual } from "node:util";
import { setNameEntries } from "./account_name.ts";
import { beginAtomic, commitOnce, requireVersion, updateEntry } from "../platform/kv/write.ts";
import { getEntry, listBatches } from "../platform/kv/list.ts";
import { addAuditEntry, type Origin, type Recording, requirePresent } from "./audit_log.ts";
import { randomBase62 } from "./key_text.ts";
import type { NanoUsd } from "../platform/money.ts";
import { isPrintable } from "../platform/text.ts";

/** The version of stored accounts. A process that reads a larger one refuses, and writes nothing. */
const ACCOUNT_VERSION = 1;

/** A stored account. */
export interface Account {
  readonly version: number;
  /** `acc_` and twelve base62 characters. */
  readonly id: string;
  /** Two accounts may have the same name. */
  readonly name: string;
  /** The limit of its spending in a UTC day; null for the default, DAILY_LIMIT_USD. */
  readonly limitNanoUsd: NanoUsd | null;
  /** A reference of the organisation's own (`reference.ts`); absent if there is none. */
  readonly reference?: string;
  /** Another limit that ends by itself; absent if there is none. */
  readonly grant?: LimitGrant;
  readonly banned: boolean;
  /** Why it is banned, which its members are told; absent without a reason, or if it is not banned. */
  readonly banReason?: string;
  /** Whether the owner's identity was verified. */
  readonly verified: boolean;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Who signs in to it; absent if an operator created it. */
  readonly owner?: Owner;
  /** Whether the rule of admission turned its owner away at the last sign-in; absent if not. */
  readonly isWithdrawn?: boolean;
  /** Epoch milliseconds at which its owner or an operator deleted it; absent if not. */
  readonly deletedAt?: number;
}

/** A person as the identity provider names them. */
export interface Owner {
  readonly issuer: string;
  /** Unique at the issuer. */
  readonly subject: string;
}

/** A daily limit that replaces an account's own until a moment. */
interface LimitGrant {
  readonly limitNanoUsd: NanoUsd;
  /** Epoch milliseconds. */
  readonly until: number;
}

/** A new account; it is not banned. */
export type NewAccount = Pick<Account, "name" | "limitNanoUsd" | "verified">;

/** A change of an account; absent fields stay unchanged. */
export interface AccountChange extends
  Partial<
    Pick<Account, "name" | "limitNanoUsd" | "banned" | "verified" | "isWithdrawn">
  > {
  /** Null to end it. */
  readonly grant?: LimitGrant | null;
  /** Null for none. The end of the ban clears it. */
  readonly banReason?: string | null;
}

/** A given value cannot be stored; the message says which, and why. */
export class InvalidValueError extends RangeError {
  override name = "InvalidValueError";
}

/** How the audit log treats each member. */
const MEMBERS: Readonly<Record<keyof Account, Recording | null>> = {
  version: null,
  id: null,
  name: { what: "rename", isHidden: true },
  limitNanoUsd: { what: "limit" },
  reference: null,
  grant: { what: "grant" },
  banned: { what: "ban", undone: "unban" },
  banReason: { what: "ban", undone: "unban", isHidden: true },
  verified: { what: "verify", undone: "unverify" },
  createdAt: null,
  owner: null,
  isWithdrawn: { what: "withdraw", undone: "admit" },
  deletedAt: { what: "delete", undone: "return" },
};

/** The length of the rate limit's sliding window, in which `RATE_LIMIT_REQUESTS` requests of an account are admitted. */
export const RATE_WINDOW_SECONDS = 1_800;
/** The longest name of an account or key, and the longest reference, in characters. */
export const MAX_LABEL_LENGTH = 100;
/** The longest reason of a ban, a change or a correction, in characters. */
export const MAX_REASON_LENGTH = 500;

/** Where an account is stored. */
export const accountKey = (id: string): Deno.KvKey => ["account", id];

/** Whether a text has the form of an account's id. */
function isAccountId(text: string): boolean {
  return /^acc_[0-9A-Za-z]{12}$/.test(text);
}

/** Checks the name of an account or key: the fault as the rest of a sentence, or null for a valid name. */
export function findLabelFault(label: string): string | null {
  if (label.trim() !== "" && label !== label.trim()) return "begins or ends with a space";
  return findTextFault(label, MAX_LABEL_LENGTH);
}

/** Checks a reason as {@linkcode findLabelFault} does. */
export function findReasonFault(reason: string): string | null {
  return findTextFault(reason, MAX_REASON_LENGTH);
}

function findTextFault(text: string, maxLength: number): string | null {
  if (text.trim() === "") return "is empty";
  if ([...text].length > maxLength) return `is longer than ${maxLength} characters`;
  return isPrintable(text) ? null : "has a character that cannot be printed";
}

/** Checks an account's name as {@linkcode findLabelFault} does; it must not look like an id either. */
export function findNameFault(name: string): string | null {
  return isAccountId(name) ? "has the form of an account's id" : findLabelFault(name);
}

/**
 * Creates an account with a new id. An account is also the proof that the database lasts (`durable_database.ts`), so the
 * service itself must not create one before `isDatabaseLasting` is true.
 *
 * @throws {InvalidValueError} for an invalid name (see {@linkcode findNameFault}) or a negative limit.
 */
export async function createAccount(
  kv: Deno.Kv,
  asked: NewAccount,
  origin: Origin,
): Promise<Account> {
  assertValid(asked);
  for (;;) {
    const account = buildAccount(asked, origin.at);
    if (await commitAccount(kv, beginAtomic(kv), account, origin)) return account;
  }
}

/** An account with a new random id, which is stored nowhere yet. */
export function buildAccount(
  { name, limitNanoUsd, verified }: NewAccount,
  now: number,
): Account {
  const id = `acc_${randomBase62(12)}`;
  const fixed = { version: ACCOUNT_VERSION, banned: false, createdAt: now };
  return { id, name, limitNanoUsd, verified, ...fixed };
}

/** Commits an operation that also creates an account; false if the id is taken, or another check failed. */
export async function commitAccount(
  kv: Deno.Kv,
  operation: Deno.AtomicOperation,
  account: Account,
  origin: Origin,
): Promise<boolean> {
  const key = accountKey(account.id);
  setAccount(operation.check({ key, versionstamp: null }), null, account, origin);
  return (await commitOnce(kv, operation, key, account)).ok;
}

/** Sets an account in a commit, with the entry of its change; `before` is null for a new one. */
export function setAccount(
  operation: Deno.AtomicOperation,
  before: Account | null,
  after: Account,
  origin: Origin,
): void {
  operation.set(accountKey(after.id), after);
  setNameEntries(operation, before, after);
  addAuditEntry(operation, { accountId: after.id, members: MEMBERS, before, after }, origin);
}

/**
 * Reads an account, or null if there is none. The id may be any text.
 *
 * @throws {NewerVersionError} for an account that a newer version of the program wrote.
 */
export async function getAccount(kv: Deno.Kv, id: string): Promise<Account | null> {
  if (!isAccountId(id)) return null;
  return knownAccount((await getEntry<Account>(kv, accountKey(id))).value);
}

/** An account as it was read. @throws {NewerVersionError} as {@linkcode getAccount} does. */
export function knownAccount<T extends Account | null>(account: T): T {
  return account && requireVersion(accountKey(account.id), account, ACCOUNT_VERSION);
}

/**
 * Lists every account in the order of the ids, which is random.
 *
 * @throws {NewerVersionError} as {@linkcode getAccount} does.
 */
export async function* listAccounts(kv: Deno.Kv): AsyncGenerator<Account> {
  for await (const batch of listBatches<Account>(kv, ["account"], { batchSize: 500 })) {
    for (const { value } of batch) yield knownAccount(value);
  }
}

/**
 * Changes an account. Concurrent changes of different fields all take effect. The audit log has the reason of a
 * ban too, unless the origin has another one.
 *
 * @returns the account as it now is, or null if there is none, or it is deleted.
 * @throws {InvalidValueError} for an invalid name or reason (see {@linkcode findNameFault}, {@linkcode findReasonFault}) or a
 *   negative limit.
 * @throws {OutdatedError} if the origin was made from another version.
 */
export async function updateAccount(
  kv: Deno.Kv,
  id: string,
  change: AccountChange,
  origin: Origin,
): Promise<Account | null> {
  assertValid(change);
  const why = origin.why ?? change.banReason ?? null;
  const account = await updateEntry<Account>(
    kv,
    accountKey(id),
    (before) => {
      requirePresent(origin, before);
      if (knownAccount(before).deletedAt !== undefined) return before;
      const { grant, banReason, isWithdrawn, ...others } = { ...before, ...change };
      const after = {
        ...others,
        ...grant && { grant },
        ...others.banned && banReason && { banReason },
        ...isWithdrawn && { isWithdrawn },
      };
      return isDeepStrictEqual(before, after) ? before : after;
    },
    (operation, before, after) => setAccount(operation, before, after, { ...origin, why }),
  );
  return account?.deletedAt === undefined ? account : null;
}

/** The sentence that tells a member of a ban. */
export function banInWords({ id, banReason }: Pick<Account, "id" | "banReason">): string {
  if (banReason === undefined) return `The account ${id} is banned.`;
  return `The account ${id} is banned: ${banReason.trim()}`.replace(/[^.!?]$/, "$&.");
}

/**
 * The grant of an account until it ends; null after that, or without one.
 *
 * @param now epoch milliseconds.
 */
export function grantOf({ grant }: Pick<Account, "grant">, now: number): LimitGrant | null {
  return grant && now < grant.until ? grant : null;
}

/**
 * The daily limit of an account: its grant until that ends, then its own limit, or else the default.
 *
 * @param now epoch milliseconds.
 */
export function dailyLimitOf(
  account: Pick<Account, "limitNanoUsd" | "grant">,
  defaultLimit: NanoUsd,
  now: number,
): NanoUsd {
  return grantOf(account, now)?.limitNanoUsd ?? account.limitNanoUsd ?? defaultLimit;
}

/** Whether an account may use the proxy, or why not: the reason that outweighs the others. */
export function accountState(
  { deletedAt, banned, isWithdrawn = false, verified }: Account,
): "active" | "deleted" | "banned" | "withdrawn" | "unverified" {
  if (deletedAt !== undefined) return "deleted";
  if (banned) return "banned";
  if (isWithdrawn) return "withdrawn";
  return verified ? "active" : "unverified";
}

/** @throws {InvalidValueError} for an invalid name or reason, or a negative limit. */
export function assertValid(
  { name, limitNanoUsd = null, grant = null, banReason = null }: AccountChange,
): void {
  const nameFault = name === undefined ? null : findNameFault(name);
  if (nameFault !== null) throw new InvalidValueError(`the account's name ${nameFault}`);
  const reasonFault = banReason === null ? null : findReasonFault(banReason);
  if (reasonFault !== null) throw new InvalidValueError(`the reason ${reasonFault}`);
  const limits = [limitNanoUsd ?? 0n, grant?.limitNanoUsd ?? 0n];
  if (limits.some((limit) => limit < 0n)) {
    throw new InvalidValueError("the account's limit is negative");
  }
}
