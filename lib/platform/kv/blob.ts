/**
 * Values larger than a KV value may be (64 KiB): chunks in one of two places, and a small pointer to them. A write
 * fills the place that the pointer does not name, and then switches the pointer, in a single commit. So a reader sees a
 * whole version or none, a crash leaves the last one, and what has been replaced is overwritten.
 */

import { joinBytes } from "../bytes.ts";
import { getEntries, getEntry, listEntries, type Stored } from "./list.ts";
import { beginAtomic, commit, commitOnce } from "./write.ts";

/** Below KV's 65,536 bytes, which include the value's encoding. */
const CHUNK_BYTES = 60_000;
/** Chunks per commit: well below KV's limit of 800 KiB. */
const CHUNKS_PER_COMMIT = 8;

/** A pointer: where the bytes are, and the metadata that readers need without them. */
interface BlobPointer<Meta> {
  readonly version: string;
  readonly place: 0 | 1;
  readonly chunks: number;
  readonly meta: Meta;
}

/** A pointer as it was read; `versionstamp` is null while nothing has been written. */
export interface BlobEntry<Meta> {
  /** Null if nothing is stored. */
  readonly pointer: BlobPointer<Meta> | null;
  readonly versionstamp: string | null;
}

/** A part of a version. The version after the next overwrites it, if that version is as long. */
interface Chunk {
  readonly version: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const pointerKey = (name: string) => ["blob", name, "pointer"];
const chunksKey = (name: string, place: number) => ["blob", name, "chunks", place];

/** Reads the pointer. */
export async function getBlobPointer<Meta>(kv: Deno.Kv, name: string): Promise<BlobEntry<Meta>> {
  const { value: pointer, versionstamp } = await getEntry<BlobPointer<Meta>>(kv, pointerKey(name));
  return { pointer, versionstamp };
}

/** Reads the bytes of a version, or null if they have been overwritten since the pointer was read. */
export async function readBlob(
  kv: Deno.Kv,
  name: string,
  { version, place, chunks }: BlobPointer<unknown>,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const keys = Array.from({ length: chunks }, (_, chunk) => [...chunksKey(name, place), chunk]);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (const { value } of await getEntries<Chunk>(kv, keys)) {
    if (value?.version !== version) return null;
    parts.push(value.bytes);
  }
  return joinBytes(parts);
}

/** The stored values of a blob, its pointer last; none if there is no blob, or if it is replaced during the read. */
export async function getStoredBlob(kv: Deno.Kv, name: string): Promise<Stored[]> {
  const { value: pointer, key } = await getEntry<BlobPointer<unknown>>(kv, pointerKey(name));
  if (pointer === null) return [];
  const chunks: Stored[] = [];
  for await (const { key, value } of listEntries<Chunk>(kv, chunksKey(name, pointer.place))) {
    if (value.version === pointer.version) chunks.push({ key, value });
  }
  return chunks.length === pointer.chunks ? [...chunks, { key, value: pointer }] : [];
}

/** A change of the pointer. */
export interface PointerSwitch<Meta> {
  /** The entry that this replaces: the switch is made only if it is still there. */
  readonly replaces: BlobEntry<unknown>;
  readonly meta: Meta;
  /** Adds the check of the lease of the one writer to each commit. */
  readonly guard: (operation: Deno.AtomicOperation) => Deno.AtomicOperation;
  /** Adds further writes to the commit of the switch. */
  readonly alongside?: (operation: Deno.AtomicOperation) => void;
}

/**
 * Writes bytes as a new version and switches the pointer to it. Readers see no change before the last commit.
 *
 * @returns the new entry, or null if another process switched the pointer first, or the guard failed.
 */
export async function writeBlob<Meta>(
  kv: Deno.Kv,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
  change: PointerSwitch<Meta>,
): Promise<BlobEntry<Meta> | null> {
  const { replaces: { pointer, versionstamp }, guard } = change;
  const version = crypto.randomUUID();
  const place = pointer?.place === 0 ? 1 : 0;
  const chunks = Math.ceil(bytes.length / CHUNK_BYTES);
  for (let first = 0; first < chunks; first += CHUNKS_PER_COMMIT) {
    // A writer that comes late must not overwrite what the pointer names by now.
    const operation = guard(beginAtomic(kv).check({ key: pointerKey(name), versionstamp }));
    for (let chunk = first; chunk < Math.min(chunks, first + CHUNKS_PER_COMMIT); chunk++) {
      const start = chunk * CHUNK_BYTES;
      const part: Chunk = { version, bytes: bytes.slice(start, start + CHUNK_BYTES) };
      operation.set([...chunksKey(name, place), chunk], part);
    }
    if (!(await commit(operation)).ok) return null;
  }
  return await switchPointer(kv, name, { version, place, chunks }, change);
}

/**
 * Switches the pointer to bytes that are stored already, or changes its metadata.
 *
 * @returns as {@linkcode writeBlob}.
 */
export async function switchPointer<Meta>(
  kv: Deno.Kv,
  name: string,
  { version, place, chunks }: Omit<BlobPointer<unknown>, "meta">,
  { replaces: { versionstamp }, meta, guard, alongside }: PointerSwitch<Meta>,
): Promise<BlobEntry<Meta> | null> {
  const key = pointerKey(name);
  const pointer = { version, place, chunks, meta };
  const operation = guard(beginAtomic(kv).check({ key, versionstamp })).set(key, pointer);
  alongside?.(operation);
  const switched = await commitOnce(kv, operation, key, pointer);
  return switched.ok ? { pointer, versionstamp: switched.versionstamp } : null;
}
