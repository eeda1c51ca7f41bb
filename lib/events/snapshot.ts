/**
 * The snapshot: one read of the record store, laid out so that a response is made by copying bytes, and a cold start
 * parses only the parts that it needs:
 *
 *     index (JSON: what finds, filters and sorts events; events that are gone; problems of records)
 *     images (JSON: the signed URLs that are held)
 *     bodies (see `encodeBody`)
 *
 * The first two end with a line feed. The whole is compressed (Zstandard: a cold start waits for it) and
 * preceded by the digest of the compressed bytes.
 */

import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import type { EventField } from "../platform/columns.ts";
import { joinBytes } from "../platform/bytes.ts";
import { DIGEST_LENGTH, digestOf } from "../platform/digest.ts";
import { mapInSlices } from "../platform/timeout.ts";
import { memoize } from "../platform/memoize.ts";
import {
  type Facets,
  firstChange,
  type FormerEvent,
  KEPT_MILLISECONDS,
  MAX_FORMER,
  type RevisedEntry,
} from "./history.ts";
import type { StoredEvent } from "./model.ts";
import type { EventImage, RecordProblem } from "./record.ts";
import { compare, dayAt, type EventStatus, MAX_SKEW_MILLISECONDS, statusOn } from "./values.ts";

/** The fields that find, filter and sort an event without its body, and its version. */
export interface IndexedEvent extends RevisedEntry {
  readonly announcedAt: string;
  /** Digest of the body: the entity tag of a list needs no bodies. */
  readonly digest: string;
  /** The body's length in bytes. */
  readonly bytes: number;
}

/** A signed URL, and since when it is held (epoch milliseconds of its read). */
export interface HeldImage extends EventImage {
  readonly heldSince: number;
}

/** The held images of events, by event id. */
export type HeldImages = Readonly<
  Record<string, { readonly logo: HeldImage | null; readonly background: HeldImage | null }>
>;

/** A field that lost its values because its column is gone. */
interface LostField {
  readonly field: EventField;
  readonly column: string;
  /** Epoch milliseconds of the first read without it. */
  readonly since: number;
}

/** The metadata of a snapshot in its pointer in KV; times are epoch milliseconds. */
export interface SnapshotMeta {
  /** When the read of the store began: no data of the snapshot are older. */
  readonly readAt: number;
  /** When the facts last changed. Signed URLs are not facts; events that are gone are. */
  readonly changedAt: number;
  /** The digest of all bytes, and that of the facts alone. */
  readonly digest: string;
  readonly factsDigest: string;
  /** The fields with a value in any record; absent in snapshots of earlier versions. */
  readonly filledFields?: readonly EventField[];
  readonly lostFields?: readonly LostField[];
  /** The versionstamp of the last notification before the read (`freshness.ts`), if there was one. */
  readonly markServed?: string;
  /**
   * Epoch milliseconds of the first read since which the history knows every event that is gone or has returned;
   * absent in snapshots of earlier versions, whose history is not complete.
   */
  readonly historySince?: number;
  /** The hook that was alive when the read began (`airtable/hook.ts`), if there was one. */
  readonly hookId?: string;
}

/** The name of the stored snapshot, and of the lease under which an isolate reads the store. */
export const SNAPSHOT_NAME = "events";

/** A snapshot in memory. */
export interface Snapshot {
  readonly meta: SnapshotMeta;
  readonly events: readonly IndexedEvent[];
  /** The events that disappeared within the last 30 days. */
  readonly former: readonly FormerEvent[];
  readonly problems: readonly RecordProblem[];
  /** The bodies of `events`, one after the other. */
  readonly bodies: Uint8Array<ArrayBuffer>;
  /** Parsed at each call: only a refresh and the image routes need it. */
  images(): HeldImages;
}

const LINE_FEED = 10;
const OPENING_BRACE = 123;
/** The default of 16 KiB makes hundreds of buffers, which are then copied together. */
const LARGE_CHUNKS = { chunkSize: 2 ** 20 };

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Makes the function that finds the body of each event of a snapshot. */
export function createBodyReader(
  { events, bodies }: Pick<Snapshot, "events" | "bodies">,
): (event: IndexedEvent) => Uint8Array<ArrayBuffer> {
  const ends = new Map<IndexedEvent, number>();
  let end = 0;
  for (const event of events) ends.set(event, end += event.bytes);
  return (event) => {
    const end = ends.get(event) ?? 0;
    return bodies.subarray(end - event.bytes, end);
  };
}

/** The facts of an event that filters examine. */
export function facetsOf({ format, projectTypes, pinned }: Facets): Facets {
  return { format, projectTypes, pinned };
}

/**
 * The body of an event: its JSON without the closing brace, so that a response adds the status by copying
 * bytes. Only this function and the next two know that.
 */
export function encodeBody(event: StoredEvent): Uint8Array<ArrayBuffer> {
  return encoder.encode(JSON.stringify(event).slice(0, -1));
}

/** The event of a body. */
export function decodeBody(body: Uint8Array): StoredEvent {
  return JSON.parse(`${decoder.decode(body)}}`);
}

/**
 * The bytes that complete a body to the JSON of an event with its status; with a comma, unless the event is the last
 * one.
 */
export function bodyEnd(status: EventStatus, isFollowed: boolean): Uint8Array<ArrayBuffer> {
  return BODY_ENDS[status][isFollowed ? 1 : 0];
}

const endOf = (status: EventStatus) => {
  const end = `,"status":"${status}"}`;
  return [encoder.encode(end), encoder.encode(`${end},`)] as const;
};
const BODY_ENDS = { upcoming: endOf("upcoming"), ongoing: endOf("ongoing"), ended: endOf("ended") };

/** The compressed bytes of a snapshot. */
export async function encodeSnapshot(snapshot: Snapshot): Promise<Uint8Array<ArrayBuffer>> {
  const { former, problems } = snapshot;
  const events = await mapInSlices(snapshot.events, (event) => JSON.stringify(event));
  const index = `{"events":[${events.join(",")}],${JSON.stringify({ former, problems }).slice(1)}`;
  const head = encoder.encode(`${index}\n${JSON.stringify(snapshot.images())}\n`);
  const plain = joinBytes([head, snapshot.bodies]);
  const compressed = await compress(plain, LARGE_CHUNKS);
  return joinBytes([encoder.encode(digestOf(compressed)), compressed]);
}

/**
 * The snapshot of bytes that {@linkcode encodeSnapshot} made.
 *
 * @throws {Error} if the bytes are damaged, or in the layout of another version.
 */
export async function decodeSnapshot(bytes: Uint8Array, meta: SnapshotMeta): Promise<Snapshot> {
  const compressed = bytes.subarray(DIGEST_LENGTH);
  // Deno's Zstandard accepts a truncated stream as whole, and its errors cannot be caught.
  if (decoder.decode(bytes.subarray(0, DIGEST_LENGTH)) !== digestOf(compressed)) {
    throw new Error("its bytes are damaged");
  }
  const { buffer, byteOffset, byteLength } = await decompress(compressed, LARGE_CHUNKS);
  // A view of the library's own bytes; they are never shared between threads.
  const plain = new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
  const indexEnd = plain.indexOf(LINE_FEED);
  const imagesEnd = plain.indexOf(LINE_FEED, indexEnd + 1);
  const { events, former = [], problems } = JSON.parse(decoder.decode(plain.subarray(0, indexEnd)));
  const bodies = plain.subarray(imagesEnd + 1);
  if (!isIndexOf(events, bodies)) throw new Error("its layout is another version's");
  const bodyOf = createBodyReader({ events, bodies });
  return {
    meta,
    events: events.map((event) => withFacets(withHistory(event, meta), bodyOf(event))),
    former: former.map((event: FormerEvent) =>
      event.projectTypes === undefined ? { ...event, ...NO_FACETS } : event
    ),
    problems,
    bodies,
    images: () => JSON.parse(decoder.decode(plain.subarray(indexEnd + 1, imagesEnd))),
  };
}

/**
 * Whether an index divides bodies into events. Versions before the format numbers wrote other layouts, and a
 * wrong division would make responses of broken JSON.
 */
function isIndexOf(events: unknown, bodies: Uint8Array): events is IndexedEvent[] {
  if (!Array.isArray(events)) return false;
  let start = 0;
  for (const { id, slug, digest, bytes } of events as readonly Partial<IndexedEvent>[]) {
    if (typeof id !== "string" || typeof slug !== "string" || typeof digest !== "string") {
      return false;
    }
    if (bytes === undefined || !Number.isSafeInteger(bytes)) return false;
    if (bodies[start] !== OPENING_BRACE) return false;
    start += bytes;
  }
  return start === bodies.length;
}

/** An event of a snapshot without history gets the history of a first read. */
function withHistory(event: IndexedEvent, { readAt }: SnapshotMeta): IndexedEvent {
  if (event.facts !== undefined) return event;
  const changedAt = firstChange(event.announcedAt, readAt);
  return { ...event, meeting: null, changedAt, sequence: 0, facts: "" };
}

/** An event of a snapshot whose index had no facets gets those of its body. */
function withFacets(event: IndexedEvent, body: Uint8Array): IndexedEvent {
  return event.projectTypes === undefined ? { ...event, ...facetsOf(decodeBody(body)) } : event;
}

/** A former event of such a snapshot has no body: filters that it could match did not exist when it was there. */
const NO_FACETS: Facets = { format: null, projectTypes: [], pinned: false };

/** The changes since a time. */
interface Changes {
  /** Equal for all times since which the changes are the same, so that they share a response. */
  readonly key: string;
  /** Whether an event is new, was changed, has returned or has another status. */
  readonly includes: (event: IndexedEvent) => boolean;
  /**
   * The ids of all events that disappeared within the last 30 days; null if the history does not reach back to the
   * time. An event whose record is invalid has disappeared too: no list has it.
   */
  readonly gone: readonly string[] | null;
}

/**
 * Finds the changes since a time, for consumers that keep a copy of the events. An isolate may have an older snapshot
 * than the one that responded last, and its clock may differ: each response goes back a little further than the
 * request, so a copy that continues from its `generatedAt` misses nothing.
 *
 * @param since epoch milliseconds.
 * @param today `YYYY-MM-DD` in the time zone of the events.
 */
export function changesSince(
  { events, former, meta }: Snapshot,
  since: number,
  today: string,
  timeZone: string,
): Changes {
  const from = since - MAX_SKEW_MILLISECONDS;
  const { date: before } = dayAt(from, timeZone);
  const times = timesOf(events);
  const older = times.findIndex((time) => time < from);
  const isKnown = since >= (meta.historySince ?? Infinity) &&
    from > meta.readAt - KEPT_MILLISECONDS &&
    (former.length < MAX_FORMER || from > (former.at(-1)?.goneAt ?? 0));
  return {
    key: `${older === -1 ? times.length : older} ${before} ${isKnown}`,
    includes: (event) =>
      timeOf(event) >= from || statusOn(event, before) !== statusOn(event, today),
    gone: isKnown ? former.map(({ id }) => id).toSorted(compare) : null,
  };
}

/** When each event last changed or returned, the latest first. */
const timesOf = memoize((events: readonly IndexedEvent[]) =>
  events.map(timeOf).toSorted((a, b) => b - a)
);

function timeOf({ changedAt, returnedAt = 0 }: IndexedEvent): number {
  return Math.max(changedAt, returnedAt);
}
