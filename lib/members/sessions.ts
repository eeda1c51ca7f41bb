/**
 * Sessions of members. A browser holds a random token, and the database its digest. Every request reads its session and
 * account from the database, so that an end, a ban or a deletion takes effect at once in every process.
 */

import { type Account, getAccount } from "../accounts/account.ts";
import { sha256 } from "../platform/digest.ts";
import { beginAtomic, commit } from "../platform/kv/write.ts";
import { getEntries, getEntry, listEntries } from "../platform/kv/list.ts";
import { randomToken } from "../platform/random.ts";
import { DAY_MILLISECONDS } from "../platform/time.ts";
import type { Purpose } from "./attempt.ts";

interface Session {
  /** Names the session on its owner's page; grants no access. */
  readonly id: string;
  readonly accountId: string;
  readonly purpose: Purpose;
  /** The digest of the rule by which the person is an operator; absent for everyone else. */
  readonly operatorBy?: string;
  /** Epoch milliseconds. */
  readonly signedInAt: number;
  /** Epoch milliseconds of the last use, to about ten minutes. */
  readonly seenAt: number;
}

/** A member who is signed in. */
export interface Member {
  readonly session: Session;
  /** The account as it is now. */
  readonly account: Account;
}

/** How long a session lasts at most. */
export const SESSION_DAYS = 14;
/** How long an unused session lasts. */
export const IDLE_DAYS = 3;

/** The random bytes of a session's id, and its form: base64url. */
const SESSION_ID_BYTES = 9;
const SESSION_ID = /^[\w-]{12}$/;

/** How long a sign-in for the deletion of the account allows it. */
const FRESH_MILLISECONDS = 300_000;
/** How long a sign-in opens the desk. */
export const OPERATOR_HOURS = 12;
/** How long a sign-in for the desk allows changes there. */
export const CHANGES_MINUTES = 15;
const SEEN_EVERY_MILLISECONDS = 600_000;

/** A token is stored as its digest only; its 256 random bits need no slow hash. */
const sessionKey = (digest: string): Deno.KvKey => ["session", digest];
const sessionsOfAccountKey = (accountId: string): Deno.KvKey => ["session_of_account", accountId];
const sessionOfAccountKey = (accountId: string, id: string): Deno.KvKey => [
  ...sessionsOfAccountKey(accountId),
  id,
];

/**
 * Begins a session, and ends the browser's previous one.
 *
 * @param now epoch milliseconds.
 * @returns the token for the browser.
 */
export async function beginSession(
  kv: Deno.Kv,
  { accountId, purpose, operatorBy, replaced }: {
    readonly accountId: string;
    readonly purpose: Purpose;
    /** Null unless the person is an operator. */
    readonly operatorBy: string | null;
    readonly replaced: string | undefined;
  },
  now: number,
): Promise<string> {
  const token = randomToken(32);
  const digest = sha256(token);
  const id = randomToken(SESSION_ID_BYTES);
  const session: Session = {
    ...{ id, accountId, purpose, signedInAt: now, seenAt: now },
    ...operatorBy !== null && { operatorBy },
  };
  const lifetime = { expireIn: SESSION_DAYS * DAY_MILLISECONDS };
  const operation = beginAtomic(kv).set(sessionKey(digest), session, lifetime)
    .set(sessionOfAccountKey(accountId, id), digest, lifetime);
  await commit(operation);
  if (replaced !== undefined) await endSession(kv, replaced);
  return token;
}

/** The member whose session a token names; null if the session does not exist or has ended. */
export async function findMember(
  kv: Deno.Kv,
  token: string | undefined,
  now: number,
): Promise<Member | null> {
  if (token === undefined || !/^[\w-]{43}$/.test(token)) return null;
  const entry = await getEntry<Session>(kv, sessionKey(sha256(token)));
  const session = entry.value;
  if (session === null || !isLive(session, now)) return null;
  const account = await getAccount(kv, session.accountId);
  if (account === null || account.deletedAt !== undefined || account.isWithdrawn) return null;
  if (now - session.seenAt > SEEN_EVERY_MILLISECONDS) {
    const expireIn = session.signedInAt + SESSION_DAYS * DAY_MILLISECONDS - now;
    // A session that ends meanwhile stays ended.
    await commit(
      beginAtomic(kv).check(entry).set(entry.key, { ...session, seenAt: now }, { expireIn }),
    );
  }
  return { session, account };
}

/**
 * Whether a member has just signed in to delete the account. Any other sign-in may have asked for no password, and
 * proves nothing about who sits at the browser now.
 */
export function mayDelete({ purpose, signedInAt }: Session, now: number): boolean {
  return purpose === "delete" && Math.abs(now - signedInAt) < FRESH_MILLISECONDS;
}

/** Whether a session opens the desk: it began within twelve hours, as an operator's by the rule that holds now. */
export function isOperators({ operatorBy, signedInAt }: Session, rule: string, now: number) {
  return operatorBy === rule && Math.abs(now - signedInAt) < OPERATOR_HOURS * 3_600_000;
}

/** Whether a session allows changes at the desk: the person has just signed in again, for it. */
export function mayChange({ purpose, signedInAt }: Session, now: number): boolean {
  return purpose !== "enter" && Math.abs(now - signedInAt) < CHANGES_MINUTES * 60_000;
}

/** The live sessions of an account, the latest sign-in first. */
export async function listSessions(
  kv: Deno.Kv,
  accountId: string,
  now: number,
): Promise<Session[]> {
  const listed = listEntries<string>(kv, sessionsOfAccountKey(accountId));
  const digests = await Array.fromAsync(listed, ({ value }) => value);
  const entries = await getEntries<Session>(kv, digests.map(sessionKey));
  return entries.flatMap(({ value }) => value !== null && isLive(value, now) ? [value] : [])
    .toSorted((a, b) => b.signedInAt - a.signedInAt);
}

/** Ends the session of a token. */
export async function endSession(kv: Deno.Kv, token: string): Promise<void> {
  const { value: session } = await getEntry<Session>(kv, sessionKey(sha256(token)));
  if (session !== null) await endSessionById(kv, session.accountId, session.id);
}

/** Ends a session of an account by its id. A text that is no session's id ends none. */
export async function endSessionById(kv: Deno.Kv, accountId: string, id: string): Promise<void> {
  if (!SESSION_ID.test(id)) return;
  const { value: digest, key } = await getEntry<string>(kv, sessionOfAccountKey(accountId, id));
  if (digest === null) return;
  const operation = beginAtomic(kv).delete(sessionKey(digest)).delete(key);
  await commit(operation);
}

/** Ends all sessions of an account but one, or all of them. */
export async function endSessions(
  kv: Deno.Kv,
  accountId: string,
  except: string | null = null,
): Promise<void> {
  for await (const { key } of listEntries<string>(kv, sessionsOfAccountKey(accountId))) {
    const id = String(key.at(-1));
    if (id !== except) await endSessionById(kv, accountId, id);
  }
}

function isLive({ signedInAt, seenAt }: Session, now: number): boolean {
  return now - signedInAt < SESSION_DAYS * DAY_MILLISECONDS &&
    now - seenAt < IDLE_DAYS * DAY_MILLISECONDS;
}
