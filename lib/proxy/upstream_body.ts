/** The body of a provider's answer, read piece by piece under a watchdog. */

import { collectBytes } from "../http/mod.ts";
import { CallFailure } from "./failure.ts";
import type { Watchdog } from "./watchdog.ts";

type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

/** The pieces of a body, each read when it is asked for: back-pressure reaches the provider. */
export interface Source {
  /**
   * The next piece, or null at the end.
   *
   * @throws {CallFailure} if the provider is silent for too long, breaks off, or the caller has gone.
   */
  next(): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Ends the answer: the provider sees its connection closed. */
  cancel(): Promise<void>;
}

/**
 * Sizes of the buffers into which an answer is read: the smaller one while its length is not known and pieces
 * are short, else up to the larger one.
 */
const PIECE_BYTES = 16 * 1024;
const MAX_PIECE_BYTES = 64 * 1024;

/** Opens the body of an answer. One that was compressed unasked is decompressed. */
export function openBody(answer: Response, watchdog: Watchdog): Source {
  const body = decompressed(answer);
  const reader = body === null ? undefined : readPieces(body, lengthOf(answer));
  return {
    async next() {
      if (reader === undefined) return null;
      watchdog.expect();
      try {
        return await reader.read();
      } catch (cause) {
        throw new CallFailure(watchdog.ended ?? { kind: "broken", cause });
      } finally {
        watchdog.rest();
      }
    },
    cancel: () => cancelled(reader),
  };
}

/** Reads a body in pieces that are no larger than what is left of it; each is null at the end. */
function readPieces(body: Body, length: number | null) {
  const reader = byteReader(body);
  if (reader === null) {
    const reader = body.getReader();
    return {
      read: async () => (await reader.read()).value ?? null,
      cancel: () => reader.cancel(),
    };
  }
  // By itself Deno takes 64 KiB of memory for each piece, be it the last of no bytes: at a thousand
  // answers at once that is a quarter of what an isolate has.
  let left = length;
  let usual = PIECE_BYTES;
  return {
    async read() {
      const size = left === null ? usual : Math.max(1, Math.min(left, MAX_PIECE_BYTES));
      const { done, value } = await reader.read(new Uint8Array(size));
      if (done || value === undefined) return null;
      if (left !== null) left -= value.length;
      // Each piece leaves garbage that V8 keeps for long: 20 MB for 1 GB in small ones.
      usual = value.length < PIECE_BYTES ? PIECE_BYTES : MAX_PIECE_BYTES;
      return value;
    },
    cancel: () => reader.cancel(),
  };
}

/** A reader into buffers of our own; null for a stream that has none, as one that was decompressed. */
function byteReader(body: Body): ReadableStreamBYOBReader | null {
  try {
    return body.getReader({ mode: "byob" });
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** How many bytes of a body its sender has announced; null if it has not, or if they are compressed. */
export function lengthOf({ headers }: Response): number | null {
  const length = headers.get("content-length") ?? "";
  return /^\d{1,15}$/.test(length) && !headers.has("content-encoding") ? Number(length) : null;
}

/** The beginning of a body. */
interface Ahead {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether the body has no more. */
  readonly isAll: boolean;
}

/**
 * Reads on until there are `bytes` bytes or the body ends.
 *
 * @throws {CallFailure} as the source does.
 */
export async function readAhead(source: Source, bytes: number): Promise<Ahead> {
  const ahead = collectBytes();
  while (ahead.length < bytes) {
    const piece = await source.next();
    if (piece === null) return { bytes: ahead.take(), isAll: true };
    ahead.push(piece);
  }
  return { bytes: ahead.take(), isAll: false };
}

/**
 * All of a body.
 *
 * @throws {CallFailure} as the source does, or if there is more than `maxBytes`.
 */
export async function readAll(source: Source, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const { bytes, isAll } = await readAhead(source, maxBytes + 1);
  if (isAll) return bytes;
  await source.cancel();
  throw new CallFailure({ kind: "nonsense", what: "too long an answer" });
}

/** Cancels a body. That this may fail, as on a broken connection, is of no interest. */
export async function cancelled(
  body: Pick<ReadableStream, "cancel"> | null | undefined,
): Promise<void> {
  await body?.cancel().catch(() => {});
}

/** We ask for no compression; `fetch` then hands down what the provider sends all the same. */
function decompressed(answer: Response): Body | null {
  const encoding = answer.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (answer.body === null || encoding === "identity") return answer.body;
  if (encoding === "gzip" || encoding === "x-gzip") {
    return answer.body.pipeThrough(new DecompressionStream("gzip"));
  }
  if (encoding === "deflate") return answer.body.pipeThrough(new DecompressionStream("deflate"));
  void cancelled(answer.body);
  const what = "an answer in a compression that was not asked for";
  throw new CallFailure({ kind: "nonsense", what });
}
