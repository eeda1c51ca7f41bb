/** Writing entries, each in the format that `formats.ts` names for its kind, and commits that Deno may send twice. */

import { isDeepStrictEqual } from "node:util";
import { limitChecks } from "./commit_size.ts";
import { type Lifetime, numbered } from "./formats.ts";
import { getEntry, type Stored } from "./list.ts";
import { retryLocked } from "./open.ts";

/** Sets a value unconditionally; returns its versionstamp. */
export async function setEntry(
  kv: Deno.Kv,
  key: Deno.KvKey,
  value: unknown,
  lifetime: Lifetime = {},
): Promise<string> {
  const stored = numbered(key, value, lifetime);
  return (await retryLocked(() => kv.set(key, stored, lifetime))).versionstamp;
}

/**
 * Begins an atomic operation whose `set` writes the format of the value's kind. A sum has no room for a format, so its
 * kind must have format 1.
 */
export function beginAtomic(kv: Deno.Kv): Deno.AtomicOperation {
  const operation = kv.atomic();
  limitChecks(kv, operation);
  const { set, sum } = operation;
  operation.set = (key, value, lifetime = {}) =>
    set.call(operation, key, numbered(key, value, lifetime), lifetime);
  operation.sum = (key, amount) => {
    numbered(key, amount);
    return sum.call(operation, key, amount);
  };
  return operation;
}

/**
 * Replaces a value by what `change` makes of it, and starts again if another writer was faster. A change to the same
 * object is not written. The value's kind must have no lifetime.
 *
 * @param write sets the new value in the commit, perhaps with others.
 * @returns the value as it now is, or null if there is none.
 */
export async function updateEntry<T>(
  kv: Deno.Kv,
  key: Deno.KvKey,
  change: (value: T) => T,
  write: (operation: Deno.AtomicOperation, before: T, after: T) => void = (operation, _, after) =>
    void operation.set(key, after),
): Promise<T | null> {
  for (;;) {
    const entry = await getEntry<T>(kv, key);
    if (entry.value === null) return null;
    const value = change(entry.value);
    if (value === entry.value) return value;
    const operation = beginAtomic(kv).check(entry);
    write(operation, entry.value, value);
    if ((await retryLocked(() => operation.commit())).ok) return value;
  }
}

/**
 * Makes a commit that sets `key` to `value`, and recognises its own success. Deno resends a commit to a remote
 * database that has not responded; the second one then conflicts with the first. So after a failed check this
 * reads the key: if it holds `value`, the commit counts as made.
 *
 * @param value unique to this writer, unless any writer's commit will do.
 */
export async function commitOnce(
  kv: Deno.Kv,
  operation: Deno.AtomicOperation,
  key: Deno.KvKey,
  value: unknown,
): Promise<Deno.KvCommitResult | Deno.KvCommitError> {
  const said = await retryLocked(() => operation.commit());
  if (said.ok) return said;
  const { value: found, versionstamp } = await retryLocked(() => kv.get(key));
  if (versionstamp === null || !isDeepStrictEqual(found, numbered(key, value))) return said;
  return { ok: true, versionstamp };
}

/** Sets values as a backup has them, in one commit: at most 1,000, and 800 KiB with their keys. */
export async function setStored(kv: Deno.Kv, some: readonly Stored[]): Promise<void> {
  const operation = kv.atomic();
  for (const { key, value, ...lifetime } of some) operation.set(key, value, lifetime);
  await retryLocked(() => operation.commit());
}
