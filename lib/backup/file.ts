/**
 * The file of a backup: gzip over lines of JSON, so that `zcat` and `jq` read it. The first line says what the file is,
 * the last one has the audit: the number of values and the sums of amounts of each kind, and the SHA-256 of all lines
 * before it. Each line between them is a key, its value and, for a value that expires, the rest of its lifetime in
 * milliseconds from the moment of the copy.
 *
 * A file may come from anywhere. Reading takes memory for one line, however the file is made, and a fault is named by
 * its line. An error repeats nothing of the file.
 */

import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { joinBytes } from "../bytes.ts";
import { isObject, parseJson } from "../json.ts";
import type { Stored } from "../kv/mod.ts";
import { DAY_MILLISECONDS } from "../time.ts";
import { type Audit, createAudit } from "./audit.ts";
import { decodeValue, encodeValue } from "./codec.ts";
import { COPIED_KINDS, kindOf } from "./kinds.ts";

/** A file is not a backup, or is damaged, cut short or altered. */
export class BackupFileError extends Error {
  override name = "BackupFileError";
}

/** The facts about a backup that its file states. */
export interface Backup {
  /** When the copy was begun, in epoch milliseconds. */
  readonly at: number;
  /** How many values it has. */
  readonly count: number;
  readonly audit: Audit;
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
  at: z.int().min(0).max(253_402_300_799_999),
});
const endSchema = z.object({
  audit: z.record(
    z.string(),
    z.object({ values: z.number(), sums: z.record(z.string(), z.string()) }),
  ),
  sha256: z.string(),
});

/**
 * Writes a new file. If writing fails or is interrupted, the file lacks its last line, and reading it fails.
 *
 * @param at epoch milliseconds.
 * @param values in the order of their kinds.
 * @param onProgress gets the number of values so far.
 * @throws {Deno.errors.AlreadyExists} if there is a file at `path`.
 */
export async function writeBackupFile(
  path: string,
  at: number,
  values: AsyncIterable<Stored>,
  onProgress: (count: number) => void = () => {},
): Promise<Backup> {
  const file = await Deno.open(path, { write: true, createNew: true });
  const gzip = new CompressionStream("gzip");
  const written = gzip.readable.pipeTo(file.writable);
  // The writer reports the failure too; this promise is awaited at the end.
  written.catch(() => {});
  const writer = gzip.writable.getWriter();
  const hash = createHash("sha256");
  const sofar = createAudit();
  let piece = `${JSON.stringify({ backup: "foyer", format: FORMAT, at })}\n`;
  let count = 0;
  const flush = async () => {
    const bytes = new TextEncoder().encode(piece);
    piece = "";
    hash.update(bytes);
    await writer.write(bytes);
  };
  for await (const stored of values) {
    const { key, value, expireIn } = stored;
    sofar.add(stored);
    piece += `${encodeValue({ key, value, expireIn })}\n`;
    if (++count % 100 === 0) onProgress(count);
    if (piece.length > PIECE_BYTES) await flush();
  }
  await flush();
  const [audit, digest] = [sofar.result(), hash.digest("hex")];
  await writer.write(new TextEncoder().encode(`${JSON.stringify({ audit, sha256: digest })}\n`));
  await writer.close();
  await written;
  return { at, count, audit, digest };
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

/** Yields the values of a file, and returns its facts. Only the end proves that the values are whole and in order. */
export async function* readBackupFile(path: string): AsyncGenerator<Stored, Backup> {
  const hash = createHash("sha256");
  const sofar = createAudit();
  let at: number | null = null;
  let [count, order] = [0, 0];
  let end: z.output<typeof endSchema> | null = null;
  for await (const { line, bytes } of readLines(path)) {
    const fault = (what: string) => new BackupFileError(`${path}, line ${line}: ${what}`);
    if (end !== null) throw fault("something follows the end of the backup");
    const text = decodeText(bytes);
    if (at === null) at = readHead(path, text).at;
    else {
      const entry = decodeLine(text);
      if (entry === null) throw fault("it is not a line of a backup");
      if (!("key" in entry)) {
        const read = endSchema.safeParse(entry);
        if (!read.success) throw fault("it is neither an entry nor the end of a backup");
        end = read.data;
        continue;
      }
      const stored = readEntry(entry);
      if (typeof stored === "string") throw fault(stored);
      const kind = COPIED_KINDS.indexOf(kindOf(stored.key) ?? "");
      if (kind < 0) throw fault("a value of this kind is in no backup of this version");
      if (kind < order) throw fault("the values are not in the order of a backup");
      order = kind;
      try {
        sofar.add(stored);
      } catch (error) {
        throw fault(error instanceof Error ? error.message : String(error));
      }
      count++;
      yield stored;
    }
    hash.update(bytes).update("\n");
  }
  if (at === null) throw notABackup(path);
  if (end === null) throw new BackupFileError(`${path} has no end: it was cut short`);
  const [audit, digest] = [sofar.result(), hash.digest("hex")];
  if (end.sha256 !== digest) {
    throw new BackupFileError(`${path} was altered: its lines do not match its checksum`);
  }
  if (!isDeepStrictEqual(end.audit, audit)) {
    const all = new Set([...Object.keys(audit), ...Object.keys(end.audit)]);
    const kinds = COPIED_KINDS.filter((kind) =>
      all.has(kind) && !isDeepStrictEqual(end.audit[kind], audit[kind])
    );
    throw new BackupFileError(
      `${path} does not have what its audit says${kinds.length > 0 ? `: ${kinds.join(", ")}` : ""}`,
    );
  }
  return { at, count, audit, digest };
}

/** An entry, or its fault as a sentence without its stop. */
function readEntry({ key, value, expireIn }: Record<string, unknown>): Stored | string {
  if (!Array.isArray(key) || key.length === 0 || !key.every(isKeyPart)) return "its key is not one";
  if (value === undefined) return "it has no value";
  if (expireIn === undefined) return { key, value };
  const isLifetime = typeof expireIn === "number" && expireIn > 0 &&
    expireIn <= MAX_LIFETIME_MILLISECONDS;
  return isLifetime ? { key, value, expireIn } : "its lifetime is not one";
}

function isKeyPart(part: unknown): part is Deno.KvKeyPart {
  return ["string", "number", "bigint", "boolean"].includes(typeof part) ||
    part instanceof Uint8Array;
}

function readHead(path: string, text: string | null): z.output<typeof headSchema> {
  const json = parseJson(text ?? "");
  const format = isObject(json) && json["backup"] === "foyer" ? json["format"] : undefined;
  if (typeof format === "number" && format !== FORMAT) {
    const other = format > FORMAT ? "a newer" : "an older";
    throw new BackupFileError(
      `${path} has the format ${format}, and this version reads ${FORMAT}: use ${other} one`,
    );
  }
  const { data } = headSchema.safeParse(json);
  if (data === undefined) throw notABackup(path);
  return data;
}

function notABackup(path: string): BackupFileError {
  return new BackupFileError(
    `${path} is not a backup of Foyer; deno task backup writes one`,
  );
}

/** The text of bytes; null if they are not UTF-8. */
function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The object that a line holds; null if it holds none. */
function decodeLine(text: string | null): Record<string, unknown> | null {
  try {
    const value = decodeValue(text ?? "");
    return isObject(value) ? value : null;
  } catch {
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
