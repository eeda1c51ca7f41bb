/**
 * The audit log: who changed what about an account or one of its keys, when and why. Each entry is written in
 * the commit of its change. It has no secret, and of a name only that it changed. The job `remove old records` removes
 * entries after 400 days.
 */

import { isDeepStrictEqual } from "node:util";
import { digestOf } from "../platform/digest.ts";
import { getEntry, listEntries } from "../platform/kv/list.ts";
import { beginAtomic, commit, updateEntry } from "../platform/kv/write.ts";

/** Who makes a change: the owner of an account, a command with the system's user who runs it, or a reporter of leaks. */
type Author =
  | { readonly accountId: string }
  /** The user is null if the system names none. */
  | { readonly command: string; readonly user: string | null }
  | { readonly reporter: string };

/** When, by whom and why something is changed. */
export interface Origin {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly by: Author;
  /** Null or absent if no reason was given. */
  readonly why?: string | null;
  /** The version that a form was made from (`versionOf`): a later one is not changed. It is not recorded. */
  readonly madeFrom?: string;
}

/** How the audit log treats a member of an account or key. */
export interface Recording {
  /** The word for its change, such as `ban`. */
  readonly what: string;
  /** The word if the member ends instead, such as `unban`. */
  readonly undone?: string;
  /** Whether the log has only the word: a name, or a text from elsewhere. */
  readonly isHidden?: boolean;
}

/** An entry of the audit log. */
export interface AuditEntry extends Omit<Origin, "madeFrom"> {
  /** The deeds, in words such as `create`, `limit` and `ban`. */
  readonly what: readonly string[];
  /** The key that was changed; absent if the account itself was. */
  readonly keyId?: string;
  /** The members that changed, as they were; null for a creation. Amounts are in nano-dollars. */
  readonly before: Members | null;
  /** The same, as they became. */
  readonly after: Members;
}

type Members = Readonly<Record<string, unknown>>;

/** A change, and the account that it was of. */
export interface AccountAuditEntry extends AuditEntry {
  readonly accountId: string;
}

/**
 * The value changed after a form was made, so the form changed nothing. The message is for the person who sent the form.
 */
export class OutdatedError extends Error {
  override name = "OutdatedError";
}

/** The version of an account or key: a digest of its values. */
export function versionOf(value: object): string {
  return digestOf(JSON.stringify(value, (_, each) => typeof each === "bigint" ? `${each}` : each));
}

/** @throws {OutdatedError} if a change was made from another version of a value. */
export function requirePresent({ madeFrom }: Origin, value: object): void {
  if (madeFrom !== undefined && madeFrom !== versionOf(value)) {
    throw new OutdatedError(
      "Another operator or a command made a change after this form was made. The page shows the current values, and " +
        "the form what you typed. Send it again if it still applies.",
    );
  }
}

/** The prefix of an account's entries, to which the moment and a random id are added. */
const entriesKey = (accountId: string): Deno.KvKey => ["change", accountId];

/** Where the entries of all accounts are found by their moments. */
const MOMENTS = "change_at";

/**
 * Adds the entry of a change to the commit that makes it. A change of nothing that is recorded has none.
 *
 * @param members the members of the account or key that are recorded; null for each that is not.
 */
export function addAuditEntry(
  operation: { set(key: Deno.KvKey, value: unknown): unknown },
  { accountId, keyId, members, before, after, what }: {
    readonly accountId: string;
    readonly keyId?: string;
    readonly members: Readonly<Record<string, Recording | null>>;
    /** Null if it is new. */
    readonly before: object | null;
    readonly after: object;
    /** In place of the members' words. */
    readonly what?: string;
  },
  { at, by, why }: Origin,
): void {
  // Both are read by the names that the table has.
  const [old, current] = [(before ?? {}) as Members, after as Members];
  const changed = Object.entries(members).filter((entry): entry is [string, Recording] =>
    entry[1] !== null && !isDeepStrictEqual(orNull(old[entry[0]]), orNull(current[entry[0]]))
  );
  if (before !== null && changed.length === 0 && what === undefined) return;
  const words = changed.map(([name, { what, undone = what }]) =>
    orNull(current[name]) === null ? undone : what
  );
  const shown = changed.filter(([, { isHidden }]) => !isHidden).map(([name]) => name);
  const pick = (from: Members) =>
    Object.fromEntries(shown.map((name) => [name, from[name] ?? null]));
  const change: AuditEntry = {
    at,
    by,
    what: what !== undefined ? [what] : before === null ? ["create"] : [...new Set(words)],
    ...keyId !== undefined && { keyId },
    before: before === null ? null : pick(old),
    after: pick(current),
    ...why && { why },
  };
  const id = crypto.randomUUID();
  operation.set([...entriesKey(accountId), at, id], change);
  operation.set([MOMENTS, at, accountId, id], true);
}

/** Records what was done to an account without a change of its values, such as the end of its sessions. */
export async function recordDeed(
  kv: Deno.Kv,
  accountId: string,
  what: string,
  origin: Origin,
): Promise<void> {
  const operation = beginAtomic(kv);
  addAuditEntry(operation, { accountId, members: {}, before: {}, after: {}, what }, origin);
  await commit(operation);
}

/** An absent flag is one that is not set. */
const orNull = (value: unknown) => value === undefined || value === false ? null : value;

/** Yields the entries of an account and its keys, the oldest first. */
export async function* listAuditEntries(
  kv: Deno.Kv,
  accountId: string,
): AsyncGenerator<AuditEntry> {
  for await (const { value } of listEntries<AuditEntry>(kv, entriesKey(accountId))) {
    yield value;
  }
}

/**
 * Yields the entries of all accounts, the newest first.
 *
 * @param since epoch milliseconds: older entries are not read.
 * @param until epoch milliseconds: newer entries are passed over.
 */
export async function* listAuditLog(
  kv: Deno.Kv,
  since = 0,
  until = Infinity,
): AsyncGenerator<AccountAuditEntry> {
  const options = { from: [MOMENTS, since], isReversed: true };
  for await (const { key } of listEntries(kv, [MOMENTS], options)) {
    if (Number(key[1]) > until) continue;
    const { accountId, entry } = entryOf(key);
    const { value } = await getEntry<AuditEntry>(kv, entry);
    if (value !== null) yield { ...value, accountId };
  }
}

/** The account and the entry that a key by moment names. */
function entryOf([, at = 0, account, id = ""]: Deno.KvKey) {
  const accountId = String(account);
  return { accountId, entry: [...entriesKey(accountId), at, id] };
}

/** Removes the reasons from the entries of an account: they are texts about a person. */
export async function removeReasons(kv: Deno.Kv, accountId: string): Promise<void> {
  for await (const { key, value } of listEntries<AuditEntry>(kv, entriesKey(accountId))) {
    if (value.why === undefined) continue;
    await updateEntry<AuditEntry>(kv, key, ({ why: _why, ...rest }) => rest);
  }
}

/** Removes the entries from before a UTC day. */
export async function removeOldAuditEntries(kv: Deno.Kv, day: string): Promise<void> {
  for await (const { key } of listEntries(kv, [MOMENTS])) {
    // They are in the order of their moments.
    if (Number(key[1]) >= Date.parse(day)) return;
    await commit(beginAtomic(kv).delete(key).delete(entryOf(key).entry));
  }
}
