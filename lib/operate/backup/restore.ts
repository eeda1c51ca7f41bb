/**
 * Fills an empty database from the file of a backup. The file is read twice: nothing is written before all of it has
 * been checked. After an interruption, the same file may be restored again.
 */

import {
  type Account,
  auditAccount,
  type BookDifference,
  dayOf,
  nameKeys,
  sumServiceDays,
} from "../../proxy/mod.ts";
import { getEntry, hasEntries, type Stored } from "../../platform/kv/list.ts";
import { setEntry, setStored } from "../../platform/kv/write.ts";
import type { JsonObject } from "../../platform/json.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";
import { listAccess } from "./backup.ts";
import { encodeValue } from "./codec.ts";
import { ACCESS_KINDS, kindOf } from "./kinds.ts";
import { type Backup, checkBackupFile, readBackupFile } from "./file.ts";

/** A database that has values already. */
export class NotEmptyError extends Error {
  override name = "NotEmptyError";
}

/** An account or key that differs. */
interface AccessChange {
  readonly kind: "account" | "key";
  readonly id: string;
  /** `revoked`, `banned`, `added` and the like. */
  readonly what: string;
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
export async function restore(
  kv: Deno.Kv,
  path: string,
  { newer = null, now, onProgress = () => {} }: {
    /** A newer state of the database: who may use the service is taken from it, not from the backup. */
    readonly newer?: Deno.Kv | null;
    /** Epoch milliseconds. */
    readonly now: number;
    readonly onProgress?: (count: number) => void;
  },
): Promise<{
  readonly backup: Backup;
  /** Days whose sums were recomputed, because the copy was not made in one moment. */
  readonly corrected: readonly BookDifference[];
  /** The differences between the accounts and keys of the backup and those of the newer database; null without one. */
  readonly changes: readonly AccessChange[] | null;
}> {
  const backup = await checkBackupFile(path);
  await requireEmpty(kv, backup);
  await setEntry(kv, MARK, { digest: backup.digest });
  const write = createWriter(kv, onProgress);
  const accountIds = new Set<string>();
  let corrected: readonly BookDifference[] | null = null;
  const old: Stored[] = [];
  for await (const stored of readBackupFile(path)) {
    if (ACCESS_KINDS.includes(kindOf(stored.key) ?? "")) {
      // The file has accounts and keys last, so that no key works before the money is right.
      corrected ??= await correctSums(kv, accountIds, backup, write);
      if (newer === null) await write.add(...adapted(stored, backup, now));
      else old.push(stored);
    } else {
      if (BOOKS.includes(String(stored.key[0]))) accountIds.add(String(stored.key[1]));
      await write.add(...adapted(stored, backup, now));
    }
  }
  corrected ??= await correctSums(kv, accountIds, backup, write);
  const current = newer === null ? null : await Array.fromAsync(listAccess(newer, now));
  for (const stored of current ?? []) await write.add(stored, ...namesOf(stored));
  await write.flush();
  await kv.delete(MARK);
  return { backup, corrected, changes: current && changesOf(old, current) };
}

/** Recomputes the sums of the days that were booked while the copy was made. */
async function correctSums(
  kv: Deno.Kv,
  accountIds: ReadonlySet<string>,
  backup: Backup,
  { flush }: Pick<ReturnType<typeof createWriter>, "flush">,
): Promise<BookDifference[]> {
  await flush();
  const corrected: BookDifference[] = [];
  for (const id of accountIds) {
    const options = { from: firstDay(backup), correct: true };
    corrected.push(...await auditAccount(kv, id, options));
  }
  const days = [0, 1, 2].map((ahead) =>
    dayOf(Date.parse(firstDay(backup)) + ahead * DAY_MILLISECONDS)
  );
  await sumServiceDays(kv, accountIds, days);
  return corrected;
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

function createWriter(kv: Deno.Kv, onProgress: (count: number) => void) {
  let [waiting, bytes, count]: [Stored[], number, number] = [[], 0, 0];
  async function flush(): Promise<void> {
    if (waiting.length > 0) await setStored(kv, waiting);
    count += waiting.length;
    onProgress(count);
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

/** The members whose change takes or gives access, and the words for it. */
const MEMBERS = [
  ["account", "banned", "banned", "unbanned"],
  ["account", "verified", "verified", "no longer verified"],
  ["account", "isWithdrawn", "withdrawn", "admitted again"],
  ["account", "deletedAt", "deleted", "not deleted"],
  ["account", "limitNanoUsd", "given another limit", "given the default limit"],
  ["key", "revokedAt", "revoked", "not revoked"],
  ["key", "cap", "given another limit", "given no limit"],
  ["key", "endpoints", "given other endpoints", "given all endpoints"],
] as const;

function changesOf(old: readonly Stored[], current: readonly Stored[]): AccessChange[] {
  const [before, after] = [holdersIn(old), holdersIn(current)];
  const changes = [...after].flatMap(([name, { kind, id, value }]) => {
    const earlier = before.get(name)?.value;
    if (earlier === undefined) return [{ kind, id, what: "added" }];
    return MEMBERS.filter(([of, member]) =>
      of === kind && encodeValue(earlier[member] ?? null) !== encodeValue(value[member] ?? null)
    ).map(([, member, now, no]) => ({ kind, id, what: value[member] ? now : no }));
  });
  const missing = [...before].filter(([name]) => !after.has(name));
  return [...changes, ...missing.map(([, { kind, id }]) => ({ kind, id, what: "missing there" }))];
}

/** The accounts and keys among stored values, by their kind and id. */
function holdersIn(values: readonly Stored[]) {
  return new Map(values.flatMap(({ key: [kind, id], value }) => {
    if (kind !== "account" && kind !== "key") return [];
    // Both are stored as objects.
    const holder = { kind, id: String(id), value: value as JsonObject } as const;
    return [[`${kind} ${holder.id}`, holder]];
  }));
}
