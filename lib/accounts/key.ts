/** API keys: created, listed, revoked, rotated. Only a hash of each secret is stored. */

import { beginAtomic, commitOnce, updateEntry } from "../platform/kv/write.ts";
import { getEntries, getEntry, listEntries } from "../platform/kv/list.ts";
import {
  type Account,
  accountKey,
  accountState,
  findLabelFault,
  getAccount,
  InvalidValueError,
  knownAccount,
} from "./account.ts";
import { addAuditEntry, type Origin, type Recording, requirePresent } from "./audit_log.ts";
import { createKeyText, hashKeyText, isKeyId } from "./key_text.ts";
import { PublicError } from "../platform/http/errors.ts";
import type { NanoUsd } from "../platform/money.ts";
import { DAY_MILLISECONDS } from "../platform/time.ts";

/** A key's own daily limit, below the account's. */
export interface KeyCap {
  /** The id of the key for which it was set. Keys that replace that key count towards the same cap. */
  readonly id: string;
  readonly limitNanoUsd: NanoUsd;
}

/** A stored API key. */
export interface ApiKey {
  /** The public id: twelve base62 characters, part of the key's text. */
  readonly id: string;
  /** Never changes: a key stays with its account. */
  readonly accountId: string;
  readonly label: string | null;
  /** Epoch milliseconds, as all times here. */
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** May be in the future: a rotated key works until then. */
  readonly revokedAt: number | null;
  /** Whether it was revoked with immediate effect: even a process whose clock is behind `revokedAt` refuses it. */
  readonly revoked: boolean;
  /** SHA-256 of the key's text. */
  readonly secretHash: Uint8Array;
  /** Its own daily limit; absent if only the account's applies. */
  readonly cap?: KeyCap;
  /** The names of the endpoints that it may use (those of usage records); absent for all. */
  readonly endpoints?: readonly string[];
  /** When the key was first reported as leaked (epoch milliseconds); absent if it never was. */
  readonly leak?: { readonly at: number };
}

/** A key to be created. */
export interface NewKey extends Pick<ApiKey, "accountId" | "label" | "expiresAt"> {
  /** Its own daily limit; absent or null for none. */
  readonly cap?: NanoUsd | null;
  /** Absent or null for all. */
  readonly endpoints?: readonly string[] | null;
}

/** A key that was just created. */
export interface CreatedKey {
  readonly key: ApiKey;
  /** The secret: shown once, never stored. */
  readonly text: string;
}

/** Both keys of a rotation, or why the key was not rotated. */
type Rotation =
  | (CreatedKey & { readonly kind: "rotated"; readonly replaced: ApiKey })
  | { readonly kind: "unknown" }
  /** `replaced` is revoked or expired, or was rotated before and still works for a while. */
  | { readonly kind: "revoked" | "expired" | "ending"; readonly replaced: ApiKey };

/** How many keys of an owner may work at a time, including those that a rotation ends later. */
export const MAX_LIVE_KEYS = 20;
/** How many keys an owner may make in 24 hours: records of keys are kept for ever. */
const MAX_KEYS_A_DAY = 50;

/** How the audit log treats each member. A revocation changes two of them. */
const MEMBERS: Readonly<Record<keyof ApiKey, Recording | null>> = {
  id: null,
  accountId: null,
  label: { what: "rename", isHidden: true },
  createdAt: null,
  expiresAt: { what: "expiry" },
  revokedAt: { what: "revoke" },
  revoked: { what: "revoke" },
  secretHash: null,
  cap: { what: "cap" },
  endpoints: { what: "endpoints" },
  leak: { what: "leak", isHidden: true },
};

/** Where a key is stored. */
export const keyKey = (id: string): Deno.KvKey => ["key", id];
const keysOfAccountKey = (accountId: string): Deno.KvKey => ["key_of_account", accountId];

/**
 * Creates a key of an account. An owner may create some; operators may create any number.
 *
 * @param announce is called with the text before the key is stored. What it throws creates no key.
 * @throws {PublicError} `rate_limited` if the owner has too many keys, `forbidden` if the account was deleted or banned.
 * @throws {InvalidValueError} for an invalid label (see {@linkcode findLabelFault}), an unknown account, an expiry in the
 *   past, a negative cap, or an empty list of endpoints.
 */
export async function createKey(
  kv: Deno.Kv,
  asked: NewKey,
  origin: Origin,
  announce: (text: string) => void = () => {},
): Promise<CreatedKey> {
  assertValid(asked);
  if (asked.expiresAt !== null && asked.expiresAt <= origin.at) {
    throw new InvalidValueError("the key's expiry is in the past");
  }
  // Accounts are never removed, so the account still exists at the commit.
  if (await getAccount(kv, asked.accountId) === null) {
    throw new InvalidValueError("no such account");
  }
  for (;;) {
    const operation = beginAtomic(kv);
    await requireRoom(kv, operation, asked.accountId, origin);
    const created = buildKey(asked, (id) => toCap(asked.cap ?? null, id), origin.at);
    announce(created.text);
    if (await commitNew(kv, operation, created.key, origin)) return created;
  }
}

/** A change of a key; absent fields stay unchanged. */
interface KeyChange {
  readonly label?: string | null;
  /** Null to remove the cap. A first cap counts what its key spends from then on. */
  readonly cap?: NanoUsd | null;
  /** Null for all endpoints. */
  readonly endpoints?: readonly string[] | null;
}

/**
 * Changes a key. Concurrent changes of different fields all take effect.
 *
 * @returns the key as it now is, or null if there is none.
 * @throws {InvalidValueError} for an invalid label, a negative cap, or an empty list of endpoints.
 */
export async function updateKey(
  kv: Deno.Kv,
  id: string,
  change: KeyChange,
  origin: Origin,
): Promise<ApiKey | null> {
  assertValid(change);
  return await updateRecordedKey(kv, id, (key) => {
    const { cap: oldCap, endpoints: oldEndpoints, ...others } = key;
    const label = change.label === undefined ? key.label : change.label;
    const cap = change.cap === undefined ? oldCap : toCap(change.cap, oldCap?.id ?? id);
    const endpoints = change.endpoints === undefined ? oldEndpoints : toEndpoints(change.endpoints);
    return { ...others, label, ...cap && { cap }, ...endpoints && { endpoints } };
  }, origin);
}

/** Reads a key by its public id, or null if there is none. The id may be any text, such as a part of an address. */
export async function getKey(kv: Deno.Kv, id: string): Promise<ApiKey | null> {
  if (!isKeyId(id)) return null;
  return (await getEntry<ApiKey>(kv, keyKey(id))).value;
}

/** Every key of an account, revoked and expired ones too, the oldest first. */
export async function listKeys(kv: Deno.Kv, accountId: string): Promise<ApiKey[]> {
  const listed = listEntries(kv, keysOfAccountKey(accountId));
  const ids = await Array.fromAsync(listed, ({ key }) => String(key.at(-1)));
  const entries = await getEntries<ApiKey>(kv, ids.map(keyKey));
  const keys = entries.flatMap(({ value }) => value === null ? [] : [value]);
  return keys.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

/** Yields the keys of all accounts, in the order of their ids, which is random. */
export async function* listAllKeys(kv: Deno.Kv): AsyncGenerator<ApiKey> {
  for await (const { value } of listEntries<ApiKey>(kv, ["key"])) yield value;
}

/**
 * Revokes a key at once. A key that was revoked before keeps its `revokedAt`. The first report of a leak is noted on
 * the key, even if it was revoked before.
 *
 * @returns the key as it now is, or null if there is none.
 */
export async function revokeKey(
  kv: Deno.Kv,
  id: string,
  origin: Origin,
): Promise<ApiKey | null> {
  const { at, by } = origin;
  return await updateRecordedKey(kv, id, (key) => {
    const isNews = "reporter" in by && key.leak === undefined;
    if (key.revoked && !isNews) return key;
    const revokedAt = Math.min(at, key.revokedAt ?? at);
    return { ...key, ...isNews && { leak: { at } }, revokedAt, revoked: true };
  }, origin);
}

/**
 * Replaces a key as `updateEntry` does, and records what changed.
 *
 * @throws {OutdatedError} if the origin was made from another version.
 */
async function updateRecordedKey(
  kv: Deno.Kv,
  id: string,
  change: (key: ApiKey) => ApiKey,
  origin: Origin,
): Promise<ApiKey | null> {
  return await updateEntry<ApiKey>(
    kv,
    keyKey(id),
    (key) => {
      requirePresent(origin, key);
      return change(key);
    },
    (operation, before, after) => setKey(operation, before, after, origin),
  );
}

/** Sets a key in a commit, with the entry of its change; `before` is null for a new one. */
function setKey(
  operation: Deno.AtomicOperation,
  before: ApiKey | null,
  after: ApiKey,
  origin: Origin,
  what?: string,
): void {
  const { id: keyId, accountId } = after;
  operation.set(keyKey(keyId), after);
  const change = { accountId, keyId, members: MEMBERS, before, after, ...what && { what } };
  addAuditEntry(operation, change, origin);
}

/**
 * Replaces an active key by a new one with the same account, label, lifetime, cap and endpoints, in one commit. Both
 * keys together keep to the cap. The old key works for the overlap, or until its own expiry if that is sooner.
 *
 * @throws {InvalidValueError} if the overlap is negative.
 * @throws {PublicError} as {@linkcode createKey} does.
 */
export async function rotateKey(
  kv: Deno.Kv,
  id: string,
  { overlapMilliseconds }: { readonly overlapMilliseconds: number },
  origin: Origin,
): Promise<Rotation> {
  const now = origin.at;
  if (!(overlapMilliseconds >= 0)) throw new InvalidValueError("the overlap is negative");
  for (;;) {
    const current = await getEntry<ApiKey>(kv, keyKey(id));
    const old = current.value;
    if (old === null) return { kind: "unknown" };
    requirePresent(origin, old);
    const state = keyState(old, now);
    if (state !== "active") return { kind: state, replaced: old };
    // A second rotation, by mistake or in a race, must not create a third key.
    if (old.revokedAt !== null) return { kind: "ending", replaced: old };
    const replaced: ApiKey = {
      ...old,
      revokedAt: now + overlapMilliseconds,
      revoked: overlapMilliseconds === 0,
    };
    const expiresAt = old.expiresAt === null ? null : now + old.expiresAt - old.createdAt;
    const asked = { ...old, cap: null, expiresAt };
    const created = buildKey(asked, () => old.cap, now);
    const operation = beginAtomic(kv).check(current);
    setKey(operation, old, replaced, origin, "rotate");
    // Without an overlap, the new key takes the old one's place.
    await requireRoom(kv, operation, old.accountId, origin, replaced.revoked ? 1 : 0);
    if (await commitNew(kv, operation, created.key, origin)) {
      return { kind: "rotated", ...created, replaced };
    }
  }
}

/**
 * Refuses an owner one more key above the limits. The commit also checks and rewrites the account, so that the limits
 * hold however many requests race.
 */
async function requireRoom(
  kv: Deno.Kv,
  operation: Deno.AtomicOperation,
  accountId: string,
  { at: now, by }: Origin,
  freed = 0,
): Promise<void> {
  if (!("accountId" in by) || by.accountId !== accountId) return;
  const account = await getEntry<Account>(kv, accountKey(accountId));
  const state = account.value === null ? "deleted" : accountState(knownAccount(account.value));
  if (state !== "active" && state !== "unverified") {
    const message = `The account is ${state}, so no key can be created for it.`;
    throw new PublicError("forbidden", message);
  }
  const keys = await listKeys(kv, accountId);
  const live = keys.filter((key) => keyState(key, now) === "active").length - freed;
  if (live >= MAX_LIVE_KEYS) {
    const hint = "Revoke one that you do not use.";
    throw new PublicError("rate_limited", `${MAX_LIVE_KEYS} of your keys work already.`, { hint });
  }
  const recent = keys.filter(({ createdAt }) => createdAt > now - DAY_MILLISECONDS).length;
  if (recent >= MAX_KEYS_A_DAY) {
    const message = `You have made ${MAX_KEYS_A_DAY} keys in 24 hours.`;
    throw new PublicError("rate_limited", message, { hint: "Try again tomorrow." });
  }
  operation.check(account).set(account.key, account.value);
}

/** Whether a key works at `now` (epoch milliseconds), or why it does not. */
export function keyState(
  { revoked, revokedAt, expiresAt }: ApiKey,
  now: number,
): "active" | "revoked" | "expired" {
  if (revoked || (revokedAt !== null && revokedAt <= now)) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "active";
}

/** When a key ends or has ended, by expiry or revocation; null if neither is set. */
export function keyEndsAt({ revokedAt, expiresAt }: ApiKey): number | null {
  if (revokedAt === null || expiresAt === null) return revokedAt ?? expiresAt;
  return Math.min(revokedAt, expiresAt);
}

function assertValid({ label = null, cap = null, endpoints = null }: KeyChange): void {
  const fault = label === null ? null : findLabelFault(label);
  if (fault !== null) throw new InvalidValueError(`the key's label ${fault}`);
  if (cap !== null && cap < 0n) throw new InvalidValueError("the key's cap is negative");
  if (endpoints?.length === 0) throw new InvalidValueError("the key's list of endpoints is empty");
}

function toCap(limitNanoUsd: NanoUsd | null, id: string): KeyCap | undefined {
  return limitNanoUsd === null ? undefined : { id, limitNanoUsd };
}

function toEndpoints(names: readonly string[] | null = null): readonly string[] | undefined {
  return names === null ? undefined : [...new Set(names)];
}

function buildKey(
  { accountId, label, expiresAt, endpoints: asked }: NewKey,
  capOf: (id: string) => KeyCap | undefined,
  now: number,
): CreatedKey {
  const { id, text } = createKeyText();
  const [cap, endpoints] = [capOf(id), toEndpoints(asked)];
  const key: ApiKey = {
    id,
    accountId,
    label,
    createdAt: now,
    expiresAt,
    revokedAt: null,
    revoked: false,
    secretHash: hashKeyText(text),
    ...cap && { cap },
    ...endpoints && { endpoints },
  };
  return { key, text };
}

/** Commits an operation that also creates a key; false if the id is taken, or another check failed. */
async function commitNew(
  kv: Deno.Kv,
  operation: Deno.AtomicOperation,
  created: ApiKey,
  origin: Origin,
): Promise<boolean> {
  const key = keyKey(created.id);
  operation.check({ key, versionstamp: null })
    .set([...keysOfAccountKey(created.accountId), created.id], true);
  setKey(operation, null, created, origin);
  return (await commitOnce(kv, operation, key, created)).ok;
}
