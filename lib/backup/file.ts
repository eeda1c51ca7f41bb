/**
 * The file of a backup: gzip over lines of JSON, so that `zcat` and `jq` read it. The first line describes the file;
 * each line after it is a key and its value; the last line has the number of values and the SHA-256 of all lines
 * before it. These two are at the end because values are written as they are read.
 */

import { createHash } from "node:crypto";
import { z } from "zod";
import { parseJson } from "../json.ts";
import type { Stored } from "../kv/mod.ts";
import { decodeValue, encodeValue } from "./codec.ts";

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
  /** The SHA-256 of its lines, as hexadecimal digits. */
  readonly digest: string;
}

const FORMAT = 1;
const headSchema = z.object({ backup: z.literal("foyer"), format: z.number(), at: z.number() });
const endSchema = z.object({ count: z.number(), digest: z.string() });
const entrySchema = z.tuple([
  z.array(z.union([z.string(), z.number(), z.bigint(), z.boolean(), z.instanceof(Uint8Array)])),
  z.unknown(),
]);
/** Lines are compressed and written in pieces of about this size. */
const PIECE_BYTES = 256 * 1024;

/**
 * Writes a new file. If writing fails or is interrupted, the file lacks its last line, and reading it fails.
 *
 * @param at epoch milliseconds.
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
  let piece = `${JSON.stringify({ backup: "foyer", format: FORMAT, at })}\n`;
  let count = 0;
  const flush = async () => {
    const bytes = new TextEncoder().encode(piece);
    piece = "";
    hash.update(bytes);
    await writer.write(bytes);
  };
  for await (const { key, value } of values) {
    piece += `${encodeValue([key, value])}\n`;
    if (++count % 100 === 0) onProgress(count);
    if (piece.length > PIECE_BYTES) await flush();
  }
  await flush();
  const digest = hash.digest("hex");
  await writer.write(new TextEncoder().encode(`${JSON.stringify({ count, digest })}\n`));
  await writer.close();
  await written;
  return { at, count, digest };
}

/**
 * Reads the whole file, and checks it.
 *
 * @throws {BackupFileError} naming the fault of the file.
 * @throws {Deno.errors.NotFound} if there is no file at `path`.
 */
export async function checkBackupFile(path: string): Promise<Backup> {
  const lines = readLines(path);
  const { at } = readHead(path, (await lines.next()).value);
  const hash = createHash("sha256");
  hash.update(`${JSON.stringify({ backup: "foyer", format: FORMAT, at })}\n`);
  let [count, last] = [0, null as string | null];
  for await (const line of lines) {
    if (last !== null) {
      hash.update(`${last}\n`);
      count++;
    }
    last = line;
  }
  const end = endSchema.safeParse(parseJson(last ?? ""));
  if (!end.success) throw new BackupFileError(`${path} has no end: it was cut short`);
  const digest = hash.digest("hex");
  if (end.data.digest !== digest || end.data.count !== count) {
    throw new BackupFileError(`${path} was altered: its lines do not match its checksum`);
  }
  return { at, count, digest };
}

/** Yields the values of a file that {@linkcode checkBackupFile} has checked. */
export async function* readBackupFile(path: string, { count }: Backup): AsyncGenerator<Stored> {
  let line = -1;
  for await (const text of readLines(path)) {
    if (line >= 0 && line < count) {
      const [key, value] = entrySchema.parse(decodeValue(text));
      // The schema has the types of a key's parts.
      yield { key: key as Deno.KvKey, value };
    }
    line++;
  }
}

function readHead(path: string, line: string | undefined): z.output<typeof headSchema> {
  const { data } = headSchema.safeParse(parseJson(line ?? ""));
  if (data === undefined) {
    throw new BackupFileError(`${path} is not a backup of Foyer; deno task backup writes one`);
  }
  if (data.format > FORMAT) {
    throw new BackupFileError(
      `${path} has the format ${data.format}, and this version knows ${FORMAT}: use a newer one`,
    );
  }
  return data;
}

async function* readLines(path: string): AsyncGenerator<string> {
  const file = await Deno.open(path);
  let rest = "";
  try {
    const text = file.readable.pipeThrough(new DecompressionStream("gzip"))
      .pipeThrough(new TextDecoderStream());
    for await (const piece of text) {
      const lines = (rest + piece).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (cause) {
    throw new BackupFileError(`${path} cannot be decompressed: it is not a backup, or is damaged`, {
      cause,
    });
  }
}
