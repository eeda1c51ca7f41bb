/** Writing entries, and commits that Deno may send twice. */

import { isDeepStrictEqual } from "node:util";
import { getEntry, type Stored } from "./list.ts";
import { retryLocked } from "./open.ts";

/** Sets a value unconditionally. */
export async function setEntry(kv: Deno.Kv, key: Deno.KvKey, value: unknown): Promise<void> {
  await retryLocked(() => kv.set(key, value));
}

/** Begins an atomic operation, which {@linkcode commit} ends. */
export function beginAtomic(kv: Deno.Kv): Deno.AtomicOperation {
  return kv.atomic();
}

/** Commits an operation, again while another process holds SQLite's lock. Throws as {@linkcode retryLocked} does. */
export async function commit(
  operation: Deno.AtomicOperation,
): Promise<Deno.KvCommitResult | Deno.KvCommitError> {
  return await retryLocked(() => operation.commit());
}

/**
 * Replaces a value by what `change` makes of it, and starts again if another writer was faster. A change to the same
 * object is not written. The value must have no lifetime.
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
    const operation = kv.atomic().check(entry);
    write(operation, entry.value, value);
    if ((await commit(operation)).ok) return value;
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
  const said = await commit(operation);
  if (said.ok) return said;
  const { value: found, versionstamp } = await retryLocked(() => kv.get(key));
  if (versionstamp === null || !isDeepStrictEqual(found, value)) return said;
  return { ok: true, versionstamp };
}

/** Sets values as a backup has them, in one commit: at most 1,000, and 800 KiB with their keys. */
export async function setStored(kv: Deno.Kv, some: readonly Stored[]): Promise<void> {
  const operation = kv.atomic();
  for (const { key, value, ...lifetime } of some) operation.set(key, value, lifetime);
  await commit(operation);
}

/** A newer version of the program wrote a value that limits money or access. This one neither uses nor changes it. */
export class NewerVersionError extends Error {
  override name = "NewerVersionError";
}

/**
 * Passes on a stored value whose version this program knows.
 *
 * @throws {NewerVersionError} for a larger version.
 */
export function requireVersion<T extends { readonly version: number } | null>(
  key: Deno.KvKey,
  value: T,
  known: number,
): T {
  if (value === null || value.version <= known) return value;
  throw new NewerVersionError(
    `${JSON.stringify(key)} has version ${value.version}, and this program knows version ` +
      `${known}: it leaves the value as it is. Run the newer version of Foyer.`,
  );
}
