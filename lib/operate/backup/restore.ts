/**
 * Fills an empty database from the file of a backup. The file is read twice: nothing is written before all of it has
 * been checked. After an interruption, the same file may be restored again.
 */

import { type Account, auditAccount, dayOf, nameKeys, sumServiceDays } from "../../proxy/mod.ts";
import { getEntry, hasEntries, type Stored } from "../../platform/kv/list.ts";
import { setEntry, setStored } from "../../platform/kv/write.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";
import { listAccess } from "./backup.ts";
import { encodeValue } from "./codec.ts";
import { ACCESS_KINDS, kindOf } from "./kinds.ts";
import { type Backup, checkBackupFile, readBackupFile } from "./file.ts";

/** A database that has values already. */
export class NotEmptyError extends Error {
  override name = "NotEmptyError";
}

const MARK: Deno.KvKey = ["restore"];
/** The kinds of values whose keys name an account second. */
const BOOKS = ["reservation", "ledger", "usage"];
/** Below the limits of a commit: 1,000 values, and 800 KiB with their keys. */
const VALUES_PER_COMMIT = 200;
const BYTES_PER_COMMIT = 400_000;

/**
 * Restores a backup.
 *
 * @throws {BackupFileError} for a file that is not a backup, or is damaged.
 * @throws {NotEmptyError} for a database that is not empty, unless an interrupted restore of the same file left it so.
 */
export async function restore(kv: Deno.Kv, path: string, { newer = null, now }: {
  /** A newer state of the database: who may use the service is taken from it, not from the backup. */
  readonly newer?: Deno.Kv | null;
  /** Epoch milliseconds. */
  readonly now: number;
}): Promise<Backup> {
  const backup = await checkBackupFile(path);
  await requireEmpty(kv, backup);
  await setEntry(kv, MARK, { digest: backup.digest });
  const write = createWriter(kv);
  const accountIds = new Set<string>();
  let isCorrect = false;
  for await (const stored of readBackupFile(path)) {
    const isAccess = ACCESS_KINDS.includes(kindOf(stored.key) ?? "");
    // The file has accounts and keys last, so that no key works before the money is right.
    if (isAccess && !isCorrect) {
      await correctSums(kv, accountIds, backup, write);
      isCorrect = true;
    }
    if (BOOKS.includes(String(stored.key[0]))) accountIds.add(String(stored.key[1]));
    if (!isAccess || newer === null) await write.add(...adapted(stored, backup, now));
  }
  if (!isCorrect) await correctSums(kv, accountIds, backup, write);
  if (newer !== null) {
    for await (const stored of listAccess(newer, now)) await write.add(stored, ...namesOf(stored));
  }
  await write.flush();
  await kv.delete(MARK);
  return backup;
}

/** Recomputes the sums of the days that were booked while the copy was made. */
async function correctSums(
  kv: Deno.Kv,
  accountIds: ReadonlySet<string>,
  backup: Backup,
  { flush }: Pick<ReturnType<typeof createWriter>, "flush">,
): Promise<void> {
  await flush();
  for (const id of accountIds) {
    await auditAccount(kv, id, { from: firstDay(backup), correct: true });
  }
  const days = [0, 1, 2].map((ahead) =>
    dayOf(Date.parse(firstDay(backup)) + ahead * DAY_MILLISECONDS)
  );
  await sumServiceDays(kv, accountIds, days);
}

/** The first of the days that were booked while the copy was made: the day before it, for requests over midnight. */
function firstDay({ at }: Backup): string {
  return dayOf(at - DAY_MILLISECONDS);
}

async function requireEmpty(kv: Deno.Kv, { digest }: Backup): Promise<void> {
  const mark = (await getEntry<{ digest: string }>(kv, MARK)).value;
  if (mark?.digest === digest) return;
  if (mark !== null) {
    throw new NotEmptyError("another backup was being restored into it; use a new database");
  }
  if (await hasEntries(kv, [])) throw new NotEmptyError("it is not empty; use a new database");
}

/** A value as the new database needs it. */
function adapted(
  { key, value, expireIn: lifetime }: Stored,
  backup: Backup,
  now: number,
): Stored[] {
  if (lifetime === undefined) return [{ key, value }, ...namesOf({ key, value })];
  const expireIn = lifetime - (now - backup.at);
  return expireIn > 0 ? [{ key, value, expireIn }] : [];
}

/** The entries by which an account is found by name, which a backup leaves out. */
function namesOf({ key, value }: Stored): Stored[] {
  if (kindOf(key) !== "account") return [];
  // Accounts alone are stored under such keys.
  return nameKeys(value as Account).map((key) => ({ key, value: true }));
}

function createWriter(kv: Deno.Kv) {
  let [waiting, bytes]: [Stored[], number] = [[], 0];
  async function flush(): Promise<void> {
    if (waiting.length > 0) await setStored(kv, waiting);
    [waiting, bytes] = [[], 0];
  }
  return {
    async add(...some: Stored[]): Promise<void> {
      for (const stored of some) {
        const size = sizeOf(stored);
        if (waiting.length === VALUES_PER_COMMIT || bytes + size > BYTES_PER_COMMIT) await flush();
        waiting.push(stored);
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
