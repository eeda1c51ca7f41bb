/**
 * The file of a backup: gzip over lines of JSON, so that `zcat` and `jq` read it. The first line says what the file is,
 * the last one what it has, and the SHA-256 of all lines before. Each line between them is a key, its value and, for a
 * value that expires, the rest of its lifetime in milliseconds from the moment of the copy.
 *
 * A file may come from anywhere. Reading takes memory for one line, however the file is made, and a fault is named by
 * its line. An error repeats nothing of the file.
 */

import { createHash } from "node:crypto";
import { z } from "zod";
import { joinBytes } from "../../platform/bytes.ts";
import { isObject } from "../../platform/json.ts";
import type { Stored } from "../../platform/kv/list.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";
import { decodeValue, encodeValue } from "./codec.ts";
import { type Contents, createCounter } from "./kinds.ts";

/** A file is not a backup, or is damaged, cut short or altered. */
export class BackupFileError extends Error {
  override name = "BackupFileError";
}

/** The facts about a backup that its file states. */
export interface Backup {
  /** When the copy was begun, in epoch milliseconds. */
  readonly at: number;
  readonly contents: Contents;
  /** The SHA-256 of its lines, as hexadecimal digits. */
  readonly digest: string;
}

/** A higher number is another layout of the file. */
const FORMAT = 2;
/** KV's largest value, 64 KiB, takes less than half of it in any form. */
const MAX_LINE_BYTES = 1_000_000;
/** Lines are compressed and written in pieces of about this size. */
const PIECE_BYTES = 256 * 1024;
/** The number of compressed bytes that are decompressed at a time. */
const COMPRESSED_BYTES = 4 * 1024;
/** Far more than any value lives. */
const MAX_LIFETIME_MILLISECONDS = 3_650 * DAY_MILLISECONDS;
const LINE_FEED = 10;

const headSchema = z.object({
  backup: z.literal("foyer"),
  format: z.int(),
  // Until the year 9999.
  at: z.int().min(1).max(253_402_300_799_999),
});
const endSchema = z.object({ sha256: z.string() });
type End = z.output<typeof endSchema>;

/**
 * Writes a new file. If writing fails or is interrupted, the file lacks its last line, and reading it fails.
 *
 * @param at epoch milliseconds.
 * @param values in the order of their kinds.
 * @throws {Deno.errors.AlreadyExists} if there is a file at `path`.
 */
export async function writeBackupFile(
  path: string,
  at: number,
  values: AsyncIterable<Stored>,
): Promise<Backup> {
  const file = await Deno.open(path, { write: true, createNew: true });
  const gzip = new CompressionStream("gzip");
  const written = gzip.readable.pipeTo(file.writable);
  // The writer reports the failure too; this promise is awaited at the end.
  written.catch(() => {});
  const writer = gzip.writable.getWriter();
  const hash = createHash("sha256");
  const counter = createCounter();
  let piece = `${JSON.stringify({ backup: "foyer", format: FORMAT, at })}\n`;
  const flush = async () => {
    const bytes = new TextEncoder().encode(piece);
    piece = "";
    hash.update(bytes);
    await writer.write(bytes);
  };
  for await (const stored of values) {
    const { key, value, expireIn } = stored;
    counter.add(stored);
    piece += `${encodeValue({ key, value, expireIn })}\n`;
    if (piece.length > PIECE_BYTES) await flush();
  }
  await flush();
  const [contents, digest] = [counter.result(), hash.digest("hex")];
  const end = JSON.stringify({ contents, sha256: digest });
  await writer.write(new TextEncoder().encode(`${end}\n`));
  await writer.close();
  await written;
  return { at, contents, digest };
}

/**
 * Reads the whole file, and checks it.
 *
 * @throws {BackupFileError} naming the fault of the file, and its line.
 * @throws {Deno.errors.NotFound} if there is no file at `path`.
 */
export async function checkBackupFile(path: string): Promise<Backup> {
  const values = readBackupFile(path);
  for (;;) {
    const { done, value } = await values.next();
    if (done) return value;
  }
}

/** Yields the values of a file, and returns its facts. Only the end proves that the values are whole. */
export async function* readBackupFile(path: string): AsyncGenerator<Stored, Backup> {
  const hash = createHash("sha256");
  const counter = createCounter();
  let at = 0;
  let end: End | null = null;
  for await (const { line, bytes } of readLines(path)) {
    if (line === 1) at = readHead(path, bytes).at;
    else {
      const read = atLine(path, line, () => {
        if (end !== null) throw new SyntaxError("something follows the end of the backup");
        const read = readLine(bytes);
        if ("key" in read) counter.add(read);
        return read;
      });
      if (!("key" in read)) {
        end = read;
        continue;
      }
      yield read;
    }
    hash.update(bytes).update("\n");
  }
  if (at === 0) throw notABackup(path);
  if (end === null) throw new BackupFileError(`${path} has no end: it was cut short`);
  const digest = hash.digest("hex");
  if (end.sha256 !== digest) {
    throw new BackupFileError(`${path} was altered: its lines do not match its checksum`);
  }
  return { at, contents: counter.result(), digest };
}

/** Adds the line to the error of a step. */
function atLine<T>(path: string, line: number, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    const fault = cause instanceof Error ? cause.message : String(cause);
    throw new BackupFileError(`${path}, line ${line}: ${fault}`, { cause });
  }
}

/** @throws {SyntaxError} for a line that is neither a value nor the end. */
function readLine(bytes: Uint8Array): Stored | End {
  const entry = decodeLine(bytes);
  if (entry === null) throw new SyntaxError("it is not a line of a backup");
  if (!("key" in entry)) {
    const { data } = endSchema.safeParse(entry);
    if (data === undefined) throw new SyntaxError("it is neither a value nor the end of a backup");
    return data;
  }
  const { key, value, expireIn } = entry;
  if (!Array.isArray(key) || !key.every(isKeyPart)) {
    throw new SyntaxError("its key is not a list of texts, numbers or bytes");
  }
  if (value === undefined) throw new SyntaxError("it has no value");
  if (expireIn === undefined) return { key, value };
  if (typeof expireIn !== "number" || !(expireIn > 0 && expireIn <= MAX_LIFETIME_MILLISECONDS)) {
    throw new SyntaxError("its lifetime is not a number of milliseconds");
  }
  return { key, value, expireIn };
}

function isKeyPart(part: unknown): part is Deno.KvKeyPart {
  return ["string", "number", "bigint", "boolean"].includes(typeof part) ||
    part instanceof Uint8Array;
}

function readHead(path: string, bytes: Uint8Array): z.output<typeof headSchema> {
  const { data } = headSchema.safeParse(decodeLine(bytes));
  if (data === undefined) throw notABackup(path);
  if (data.format === FORMAT) return data;
  const other = data.format > FORMAT ? "a newer" : "an older";
  throw new BackupFileError(
    `${path} has the format ${data.format}, and this version reads ${FORMAT}: use ${other} one`,
  );
}

function notABackup(path: string): BackupFileError {
  return new BackupFileError(
    `${path} is not a backup of Foyer; deno task backup writes one`,
  );
}

/** The object that a line holds; null if it holds none. */
function decodeLine(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const value = decodeValue(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isObject(value) ? value : null;
  } catch {
    // The reader names the line; the reason would repeat parts of it.
    return null;
  }
}

/** Yields the lines, numbered from 1, without their line feeds. */
async function* readLines(path: string) {
  const file = await Deno.open(path);
  const chunks = ReadableStream.from(inPieces(file.readable))
    .pipeThrough(new DecompressionStream("gzip"))[Symbol.asyncIterator]();
  let line = 1;
  let parts: Uint8Array[] = [];
  let length = 0;
  const take = (part: Uint8Array) => {
    parts.push(part);
    length += part.length;
    if (length <= MAX_LINE_BYTES) return;
    throw new BackupFileError(`${path}, line ${line}: it has more than ${MAX_LINE_BYTES} bytes`);
  };
  try {
    for (;;) {
      const chunk = await chunks.next().catch((cause) => {
        const where = line === 1 ? "it is not a backup, or is damaged" : `damaged at line ${line}`;
        throw new BackupFileError(`${path} cannot be decompressed: ${where}`, { cause });
      });
      if (chunk.done) break;
      let from = 0;
      for (let at; (at = chunk.value.indexOf(LINE_FEED, from)) >= 0; from = at + 1) {
        take(chunk.value.subarray(from, at));
        yield { line: line++, bytes: joinBytes(parts) };
        [parts, length] = [[], 0];
      }
      if (from < chunk.value.length) take(chunk.value.slice(from));
    }
  } finally {
    await chunks.return?.();
  }
  if (length > 0) throw new BackupFileError(`${path}, line ${line}: it was cut short`);
}

/** Deno decompresses a chunk whole, and gzip may stand for a thousand times as many bytes. */
async function* inPieces(chunks: AsyncIterable<Uint8Array<ArrayBuffer>>) {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += COMPRESSED_BYTES) {
      yield chunk.subarray(at, at + COMPRESSED_BYTES);
    }
  }
}
