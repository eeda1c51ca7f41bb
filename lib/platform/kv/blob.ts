/**
 * Values larger than a KV value may be (64 KiB): immutable chunks under a version, and one small
 * pointer that is switched in a single commit. A reader sees a whole version or none.
 */

import { joinBytes } from "../bytes.ts";
import { getEntries, getEntry, listEntries, listStored, type Stored } from "./list.ts";
import { retryLocked } from "./open.ts";
import { beginAtomic, commitOnce, setEntry } from "./write.ts";

/** Below KV's 65,536 bytes, which include the value's encoding. */
const CHUNK_BYTES = 60_000;
/** Chunks per commit: well below KV's limit of 800 KiB. */
const CHUNKS_PER_COMMIT = 8;
/** A version without a pointer is kept for this long: longer than a reader or a writer needs for all of its chunks. */
const GRACE_MILLISECONDS = 120_000;

/** Where bytes are. */
interface BlobPlace {
  readonly version: string;
  readonly chunks: number;
}

/** A pointer: the place of the bytes, and the metadata that readers need without them. */
interface BlobPointer<Meta> extends BlobPlace {
  readonly meta: Meta;
}

/** A pointer as it was read; `versionstamp` is null while nothing has been written. */
export interface BlobEntry<Meta> {
  /** Null if nothing is stored. */
  readonly pointer: BlobPointer<Meta> | null;
  readonly versionstamp: string | null;
}

const pointerKey = (name: string) => ["blob", name, "pointer"];
const versionsKey = (name: string) => ["blob", name, "versions"];
const chunksKey = (name: string, version: string) => ["blob", name, "chunks", version];

/** The record of a version, written before its first chunk, so that its chunks can be found. */
interface BegunVersion {
  readonly chunks: number;
  /** Epoch milliseconds at which its writing began, and later at which the pointer moved to another version. */
  readonly at: number;
}

/** Reads the pointer. */
export async function getBlobPointer<Meta>(kv: Deno.Kv, name: string): Promise<BlobEntry<Meta>> {
  const { value, versionstamp } = await getEntry<BlobPointer<Meta>>(kv, pointerKey(name));
  return { pointer: value, versionstamp };
}

/** Reads the bytes of a version, or null if they have been removed since the pointer was read. */
export async function readBlob(
  kv: Deno.Kv,
  name: string,
  pointer: BlobPointer<unknown>,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const keys = Array.from(
    { length: pointer.chunks },
    (_, chunk) => [...chunksKey(name, pointer.version), chunk],
  );
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (const { value } of await getEntries<Uint8Array<ArrayBuffer>>(kv, keys)) {
    if (value === null) return null;
    parts.push(value);
  }
  return joinBytes(parts);
}

/** The stored values of a blob, its pointer last; none if there is no blob, or if it is replaced during the read. */
export async function getStoredBlob(kv: Deno.Kv, name: string): Promise<Stored[]> {
  const key = pointerKey(name);
  const { value } = await retryLocked(() => kv.get<BlobPlace>(key));
  if (value === null) return [];
  const chunks = await Array.fromAsync(listStored(kv, chunksKey(name, value.version)));
  return chunks.length === value.chunks ? [...chunks, { key, value }] : [];
}

/** A change of the pointer. */
export interface PointerSwitch<Meta> {
  /** The entry that this replaces: the switch is made only if it is still there. */
  readonly replaces: BlobEntry<unknown>;
  readonly meta: Meta;
  /** Further checks of the same commit, such as a lease's. */
  readonly guard: (operation: Deno.AtomicOperation) => Deno.AtomicOperation;
}

/**
 * Writes bytes as a new version and switches the pointer to it. Readers see no change before the last commit. A crash
 * leaves chunks that {@linkcode removeOldVersions} finds.
 *
 * @param now epoch milliseconds.
 * @returns the new entry, or null if another process switched the pointer first, a guard failed, or the write
 *   took longer than the grace.
 */
export async function writeBlob<Meta>(
  kv: Deno.Kv,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
  change: PointerSwitch<Meta>,
  now: number,
): Promise<BlobEntry<Meta> | null> {
  const version = crypto.randomUUID();
  const chunks = Math.ceil(bytes.length / CHUNK_BYTES);
  const begun: BegunVersion = { chunks, at: now };
  const key = [...versionsKey(name), version];
  const versionstamp = await setEntry(kv, key, begun);
  // A writer that was suspended for longer than the grace finds its version removed. It must neither write
  // unlisted chunks nor switch the pointer.
  const stillBegun = { key, versionstamp };
  for (let first = 0; first < chunks; first += CHUNKS_PER_COMMIT) {
    const operation = beginAtomic(kv).check(stillBegun);
    for (let chunk = first; chunk < Math.min(chunks, first + CHUNKS_PER_COMMIT); chunk++) {
      const start = chunk * CHUNK_BYTES;
      operation.set([...chunksKey(name, version), chunk], bytes.slice(start, start + CHUNK_BYTES));
    }
    if (!(await retryLocked(() => operation.commit())).ok) return null;
  }
  const guard = (operation: Deno.AtomicOperation) => change.guard(operation).check(stillBegun);
  return await switchPointer(kv, name, { version, chunks }, { ...change, guard }, now);
}

/**
 * Switches the pointer to bytes that are stored already, or changes its metadata.
 *
 * @returns as {@linkcode writeBlob}.
 */
export async function switchPointer<Meta>(
  kv: Deno.Kv,
  name: string,
  { version, chunks }: BlobPlace,
  { replaces: { pointer: old, versionstamp }, meta, guard }: PointerSwitch<Meta>,
  now: number,
): Promise<BlobEntry<Meta> | null> {
  const key = pointerKey(name);
  const pointer = { version, chunks, meta };
  const operation = guard(beginAtomic(kv).check({ key, versionstamp })).set(key, pointer);
  if (old !== null && old.version !== version) {
    const left: BegunVersion = { chunks: old.chunks, at: now };
    operation.set([...versionsKey(name), old.version], left);
  }
  const switched = await commitOnce(kv, operation, key, pointer);
  return switched.ok ? { pointer, versionstamp: switched.versionstamp } : null;
}

/**
 * Removes the chunks of versions without readers: those that the pointer no longer names, and those that a
 * crash left incomplete, each after a grace of two minutes.
 *
 * @param now epoch milliseconds.
 * @param known the current entry, if the caller has just written or read it; nothing is removed if it is another one.
 */
export async function removeOldVersions(
  kv: Deno.Kv,
  name: string,
  now: number,
  known?: BlobEntry<unknown>,
): Promise<void> {
  const { pointer, versionstamp } = known ?? await getBlobPointer<unknown>(kv, name);
  const stillLeft = { key: pointerKey(name), versionstamp };
  for await (const entry of listEntries<BegunVersion>(kv, versionsKey(name))) {
    const { key, value } = entry;
    const version = String(key.at(-1));
    if (version === pointer?.version) continue;
    // Clocks differ, so a time slightly ahead is recent. One far in the future means that a clock was set back.
    if (Math.abs(now - value.at) < GRACE_MILLISECONDS) continue;
    // Changing the record first makes a late writer's switch fail before its chunks are removed.
    const doomed: BegunVersion = { ...value, at: 0 };
    const operation = beginAtomic(kv).check(entry, stillLeft).set(key, doomed);
    const taken = await retryLocked(() => operation.commit());
    if (!taken.ok) continue;
    for (let first = 0; first < value.chunks; first += CHUNKS_PER_COMMIT * 10) {
      const operation = beginAtomic(kv);
      const end = Math.min(value.chunks, first + CHUNKS_PER_COMMIT * 10);
      for (let chunk = first; chunk < end; chunk++) {
        operation.delete([...chunksKey(name, version), chunk]);
      }
      await retryLocked(() => operation.commit());
    }
    await retryLocked(() => kv.delete(key));
  }
}
