/**
 * Fills an empty database from the file of a backup. Nothing is written before all of the file has been checked. After
 * an interruption, the same file may be restored again.
 */

import type { Account } from "../../accounts/account.ts";
import { nameKeys } from "../../accounts/account_name.ts";
import { type BookDifference, reconcileAccount } from "../../proxy/ledger/reconcile.ts";
import { dayOf } from "../../platform/utc_days.ts";
import { USAGE_DAYS } from "../../proxy/ledger/transitions.ts";
import { getEntry, hasEntries, type Stored } from "../../platform/kv/list.ts";
import { isObject } from "../../platform/json.ts";
import { setEntry, setStored } from "../../platform/kv/write.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";
import { HISTORY_MILLISECONDS } from "../health/history.ts";
import { ACCESS_KINDS, type Contents, createCounter, isCopied, listKinds } from "./backup.ts";
import { BackupFileError, encodeValue, readBackupFile } from "./file.ts";
import { findStoredFault } from "./schemas.ts";

/** A database that has values already. */
export class NotEmptyError extends Error {
  override name = "NotEmptyError";
}

/** When the copy that is being restored was begun. */
const MARK: Deno.KvKey = ["restore"];
/** The kinds of values whose keys name an account second. */
const BOOKS = ["reservation", "ledger", "usage"];
/** Below the limits of a commit: 1,000 values, and 800 KiB with their keys. */
const VALUES_PER_COMMIT = 200;
const BYTES_PER_COMMIT = 400_000;

/**
 * Restores a backup.
 *
 * @returns when its copy was begun (epoch milliseconds), what it has, and what was corrected.
 * @throws {BackupFileError} for a file that is not a backup, or is damaged.
 * @throws {NotEmptyError} for a database that is not empty, unless an interrupted restore of the same file left it so.
 */
export async function restore(kv: Deno.Kv, path: string, { newer = null, now, step = () => {} }: {
  /** A newer state of the database: who may use the service is taken from it, not from the backup. */
  readonly newer?: Deno.Kv | null;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Is called for each value that is written. */
  readonly step?: () => void;
}): Promise<{
  readonly at: number;
  readonly contents: Contents;
  /** The days whose sums were those of another moment than their records, and were corrected. */
  readonly corrected: readonly BookDifference[];
}> {
  const backup = await checkFile(path);
  await requireEmpty(kv, backup.at);
  await setEntry(kv, MARK, backup.at);
  const writer = createWriter(kv, now);
  const accountIds = new Set<string>();
  for await (const stored of readBackupFile(path)) {
    if (isAccess(stored)) continue;
    if (BOOKS.includes(String(stored.key[0]))) accountIds.add(String(stored.key[1]));
    await writer.add(stored);
    step();
  }
  await writer.flush();
  const corrected = await correctSums(kv, accountIds, backup.at);
  // No key works before the money is right.
  const access = newer === null ? readBackupFile(path) : listKinds(newer, ACCESS_KINDS);
  for await (const stored of access) {
    if (!isAccess(stored)) continue;
    await writer.add(stored, ...namesOf(stored));
    step();
  }
  await writer.flush();
  await kv.delete(MARK);
  return { ...backup, corrected };
}

async function checkFile(path: string) {
  const counter = createCounter();
  const values = readBackupFile(path);
  for (;;) {
    const { done, value } = await values.next();
    if (done) return { at: value, contents: counter.contents };
    if (!isCopied(value.key)) {
      throw new BackupFileError(`${path} has values that no backup of this version has`);
    }
    const fault = findStoredFault(value);
    if (fault !== null) {
      throw new BackupFileError(`${path} is refused: ${fault}. Nothing was written`);
    }
    counter.add(value);
  }
}

function isAccess({ key: [kind] }: Stored): boolean {
  return ACCESS_KINDS.includes(String(kind));
}

/** Recomputes the sums of the days that were booked while the copy was made: from the day before it on. */
async function correctSums(
  kv: Deno.Kv,
  accountIds: ReadonlySet<string>,
  at: number,
): Promise<BookDifference[]> {
  const from = dayOf(at - DAY_MILLISECONDS);
  const corrected: BookDifference[] = [];
  for (const id of accountIds) {
    corrected.push(...await reconcileAccount(kv, id, { from, correct: true }));
  }
  return corrected;
}

async function requireEmpty(kv: Deno.Kv, at: number): Promise<void> {
  const mark = (await getEntry<number>(kv, MARK)).value;
  if (mark === at) return;
  if (mark !== null) {
    throw new NotEmptyError("another backup was being restored into it; use a new database");
  }
  if (await hasEntries(kv, [])) throw new NotEmptyError("it is not empty; use a new database");
}

/** The entries by which an account is found by name, which a backup leaves out. */
function namesOf({ key, value }: Stored): Stored[] {
  if (key[0] !== "account") return [];
  // Accounts alone are stored under such keys.
  return nameKeys(value as Account).map((key) => ({ key, value: true }));
}

/**
 * The rest of a value's lifetime in milliseconds; null for a value without a lifetime. KV does not return lifetimes, so
 * they are computed from the key or the value.
 */
function lifetimeOf({ key, value }: Stored, now: number): number | null {
  // What is kept of a person who has deleted an account may name its end.
  if (key[0] === "departed" && isObject(value) && typeof value["until"] === "number") {
    return value["until"] - now;
  }
  // A key of a usage record names the moment of its admission fourth, one of a day of health the day second.
  if (key[0] === "usage") return Number(key[3]) + USAGE_DAYS * DAY_MILLISECONDS - now;
  if (key[0] === "health_day") return Date.parse(String(key[1])) + HISTORY_MILLISECONDS - now;
  return null;
}

/** Writes values in commits of many, without those whose lifetime has ended. */
function createWriter(kv: Deno.Kv, now: number) {
  let [waiting, bytes]: [Stored[], number] = [[], 0];
  async function flush(): Promise<void> {
    if (waiting.length > 0) await setStored(kv, waiting);
    [waiting, bytes] = [[], 0];
  }
  return {
    async add(...some: Stored[]): Promise<void> {
      for (const stored of some) {
        const expireIn = lifetimeOf(stored, now);
        if (expireIn !== null && !(expireIn > 0)) continue;
        const size = sizeOf(stored);
        if (waiting.length === VALUES_PER_COMMIT || bytes + size > BYTES_PER_COMMIT) await flush();
        const { key, value } = stored;
        waiting.push({ key, value, ...expireIn !== null && { expireIn } });
        bytes += size;
      }
    },
    flush,
  };
}

/** An upper estimate of a value's bytes. */
function sizeOf({ value }: Stored): number {
  return 200 + (value instanceof Uint8Array ? value.length : 2 * encodeValue(value).length);
}
