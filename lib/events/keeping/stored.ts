/**
 * The snapshot and the history in KV. Each is one compressed JSON text with a line for each event. It is written and
 * parsed in slices, and requests are served between them.
 */

import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { joinBytes } from "../../platform/bytes.ts";
import { DIGEST_LENGTH, digestOf } from "../../platform/digest.ts";
import {
  type BlobEntry,
  getBlobPointer,
  readBlob,
  switchPointer,
  writeBlob,
} from "../../platform/kv/blob.ts";
import { EVENT_CELLS } from "../../platform/event_columns.ts";
import type { Lease } from "../../platform/kv/lease.ts";
import { mapInSlices } from "../../platform/timeout.ts";
import type { History } from "./history.ts";
import type { LostColumn } from "../reading/loss.ts";
import type { Built, Snapshot, SnapshotMeta } from "./snapshot.ts";
import { clearFailure } from "./failure.ts";

/** The version of the stored snapshot's layout, besides the fields of its events. */
const LAYOUT = 2;
/**
 * The name of the snapshot of events with some fields. A snapshot can be read again, so its layout is a part of its
 * name: a version with other fields does not serve events that lack one.
 */
export const snapshotName = (fields: readonly string[]) =>
  `events-${LAYOUT}-${digestOf(fields.join()).slice(0, 8)}`;
/** The name of this version's stored snapshot. */
export const SNAPSHOT_NAME = snapshotName(Object.keys(EVENT_CELLS));
/** The name of the stored history: every version continues it, so it has none. */
const HISTORY_NAME = "events_history";

/** The snapshot's pointer as it was read. */
export type SnapshotEntry = BlobEntry<SnapshotMeta>;
type SnapshotPointer = NonNullable<SnapshotEntry["pointer"]>;

/** A stored history, and its entry; both null before the first read. */
interface StoredHistory {
  readonly history: History | null;
  readonly entry: BlobEntry<null>;
}

/** Reads the pointer of the snapshot. */
export const getSnapshotEntry = (kv: Deno.Kv): Promise<SnapshotEntry> =>
  getBlobPointer<SnapshotMeta>(kv, SNAPSHOT_NAME);

/** Reads the snapshot of a pointer. @throws {Error} if it is damaged, or has been replaced meanwhile. */
export async function loadSnapshot(kv: Deno.Kv, pointer: SnapshotPointer): Promise<Snapshot> {
  const bytes = await readBlob(kv, SNAPSHOT_NAME, pointer);
  if (bytes === null) throw new Error("some of its chunks are missing");
  return { ...await unpackLines<Omit<Snapshot, "meta">>(bytes), meta: pointer.meta };
}

/** The stored snapshot, however old, for readers that never refresh it; null if there is none. */
export async function readStoredSnapshot(kv: Deno.Kv): Promise<Snapshot | null> {
  const { pointer } = await getSnapshotEntry(kv);
  return pointer && await loadSnapshot(kv, pointer);
}

/** Makes the reader of the history, which keeps the last one. */
export function createHistoryReader(kv: Deno.Kv): () => Promise<StoredHistory> {
  let known: { readonly version: string; readonly history: History } | null = null;
  return async function readHistory() {
    const entry = await getBlobPointer<null>(kv, HISTORY_NAME);
    const { pointer } = entry;
    if (pointer === null) return { history: null, entry };
    if (known?.version !== pointer.version) {
      const bytes = await readBlob(kv, HISTORY_NAME, pointer);
      if (bytes === null) throw new Error("the history of the events was replaced during a read");
      known = { version: pointer.version, history: await unpackLines<History>(bytes) };
    }
    return { history: known.history, entry };
  };
}

/**
 * Stores the result of a read: first its history, if that has changed, and then the snapshot, whose commit also ends a
 * failure. A crash in between leaves a history that is ahead of the snapshot, which the next read continues.
 *
 * @param saving `isSame`: whether the stored snapshot has the same content, so that only its metadata change.
 * @returns the snapshot's new version.
 * @throws {Error} if another process has taken the lease.
 */
export async function saveReading(
  kv: Deno.Kv,
  { history, snapshot }: Built,
  { lease, past, replaces, isSame }: {
    readonly lease: Lease;
    readonly past: StoredHistory;
    readonly replaces: SnapshotEntry;
    readonly isSame: boolean;
  },
): Promise<string> {
  const { guard } = lease;
  const lost = () => new Error("another process took the lease of the events");
  if (history !== past.history) {
    const change = { replaces: past.entry, meta: null, guard };
    const bytes = await packLines(history);
    if (await writeBlob(kv, HISTORY_NAME, bytes, change) === null) throw lost();
  }
  const { meta, ...content } = snapshot;
  const change = { replaces, meta, guard, alongside: clearFailure };
  const written = isSame && replaces.pointer !== null
    ? await switchPointer(kv, SNAPSHOT_NAME, replaces.pointer, change)
    : await writeBlob(kv, SNAPSHOT_NAME, await packLines(content), change);
  if (written === null || written.pointer === null) throw lost();
  return written.pointer.version;
}

/**
 * Accepts the loss of columns: the next read is compared with none of their values.
 *
 * @param fields the columns that are meant; null for those that are lost.
 * @param note adds to the commit.
 * @returns those of them that are lost.
 */
export async function acceptLostColumns(
  kv: Deno.Kv,
  fields: readonly string[] | null,
  note: (operation: Deno.AtomicOperation, lost: readonly LostColumn[]) => void,
): Promise<readonly LostColumn[]> {
  for (;;) {
    const snapshot = await readStoredSnapshot(kv);
    const { history, entry } = await createHistoryReader(kv)();
    const lost = (snapshot?.lost ?? []).filter(({ field }) =>
      history?.columns?.[field] !== undefined && fields?.includes(field) !== false
    );
    if (lost.length === 0 || history === null) return [];
    const accepted = new Set<string>(lost.map(({ field }) => field));
    const columns = Object.fromEntries(
      Object.entries(history.columns ?? {}).filter(([field]) => !accepted.has(field)),
    );
    const next: History = { ...history, columns };
    const written = await writeBlob(kv, HISTORY_NAME, await packLines(next), {
      replaces: entry,
      meta: null,
      guard: (operation) => operation,
      alongside: (operation) => note(operation, lost),
    });
    // Else a read has stored another history meanwhile.
    if (written !== null) return lost;
  }
}

/** Marks a snapshot from the future as one of unknown age: otherwise it would count as fresh once its time has come. */
export async function markAgeUnknown(
  kv: Deno.Kv,
  entry: SnapshotEntry & { readonly pointer: SnapshotPointer },
  { guard }: Lease,
): Promise<void> {
  const meta = { ...entry.pointer.meta, readAt: 0 };
  const change = { replaces: entry, meta, guard };
  await switchPointer(kv, SNAPSHOT_NAME, entry.pointer, change);
}

/** The default of 16 KiB makes hundreds of buffers, which are then copied together. */
const LARGE_CHUNKS = { chunkSize: 2 ** 20 };
const COMMA = 0x2c;
const LINE_END = 0x0a;
const BEGINNING = `{"events":[\n`;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The bytes of a value. They begin with a digest of the rest. */
export async function packLines(
  { events, ...rest }: { readonly events: readonly object[] },
): Promise<Uint8Array<ArrayBuffer>> {
  const lines = await mapInSlices(
    events,
    (event, at) => encoder.encode(`${at > 0 ? ",\n" : ""}${JSON.stringify(event)}`),
  );
  const end = encoder.encode(`\n],"rest":${JSON.stringify(rest)}}`);
  const plain = joinBytes([encoder.encode(BEGINNING), ...lines, end]);
  const compressed = zstdCompressSync(plain, LARGE_CHUNKS);
  return joinBytes([encoder.encode(digestOf(compressed)), compressed]);
}

/** The value of bytes that {@linkcode packLines} made. @throws {Error} if the bytes are damaged. */
export async function unpackLines<T extends { readonly events: readonly object[] }>(
  bytes: Uint8Array,
): Promise<T> {
  const compressed = bytes.subarray(DIGEST_LENGTH);
  // Deno's Zstandard accepts a truncated stream as whole, and its errors cannot be caught.
  if (decoder.decode(bytes.subarray(0, DIGEST_LENGTH)) !== digestOf(compressed)) {
    throw new Error("its bytes are damaged");
  }
  const plain = zstdDecompressSync(compressed, LARGE_CHUNKS);
  const first = BEGINNING.length;
  const last = plain.lastIndexOf(LINE_END) + 1;
  const events = await mapInSlices(
    linesOf(plain.subarray(first, last)),
    (line) => JSON.parse(line),
  );
  const { rest } = JSON.parse(BEGINNING + decoder.decode(plain.subarray(last)));
  return { ...rest, events };
}

/** The lines of a text, without the comma at their ends. */
function* linesOf(text: Uint8Array): Generator<string> {
  for (let from = 0, end = 0; (end = text.indexOf(LINE_END, from)) !== -1; from = end + 1) {
    const line = text.subarray(from, text[end - 1] === COMMA ? end - 1 : end);
    if (line.length > 0) yield decoder.decode(line);
  }
}
