/**
 * The file of a backup: gzip over lines of JSON, so that `zcat` and `jq` read it. The first line says what the file is;
 * the last one how many values of each kind stand between, and the digest of all lines before; each of the others is a
 * key and its value. So a file that was cut, or unpacked, cut and packed again, is known to lack something.
 */

import { createHash } from "node:crypto";
import { isObject } from "../../platform/json.ts";
import type { Stored } from "../../platform/kv/list.ts";

/** A file is not a backup, or is damaged. */
export class BackupFileError extends Error {
  override name = "BackupFileError";
}

/** A higher number is another layout of the file. */
const FORMAT = 4;
/** Lines are compressed and written in pieces of about this many characters. */
const PIECE_LENGTH = 256 * 1024;
/** KV's largest value, 64 KiB, takes less than half of it in any form. */
const MAX_LINE_LENGTH = 1_000_000;
/** The end of the year 9999: later moments have no usual form. */
const MAX_AT = 253_402_300_799_999;

/**
 * Writes a new file. If writing fails or is interrupted, reading the file fails.
 *
 * @param at when the copy was begun, in epoch milliseconds.
 * @throws {Deno.errors.AlreadyExists} if there is a file at `path`.
 */
export async function writeBackupFile(
  path: string,
  at: number,
  values: AsyncIterable<Stored>,
): Promise<void> {
  const file = await Deno.open(path, { write: true, createNew: true });
  async function* pieces() {
    const tally = createTally();
    let piece = "";
    const add = (text: string) => {
      tally.addLine(text);
      piece += `${text}\n`;
    };
    add(JSON.stringify({ backup: "foyer", format: FORMAT, at }));
    for await (const { key, value } of values) {
      add(encodeValue({ key, value }));
      tally.addKind(key);
      if (piece.length < PIECE_LENGTH) continue;
      yield piece;
      piece = "";
    }
    yield `${piece}${tally.endLine()}\n`;
  }
  await ReadableStream.from(pieces()).pipeThrough(new TextEncoderStream())
    .pipeThrough(new CompressionStream("gzip")).pipeTo(file.writable);
}

/**
 * Yields the values of a file, and returns when its copy was begun (epoch milliseconds). Only the end proves that the
 * values are whole and unchanged.
 *
 * @throws {BackupFileError} naming the fault of the file. It repeats nothing of the file.
 * @throws {Deno.errors.NotFound} if there is no file at `path`.
 */
export async function* readBackupFile(path: string): AsyncGenerator<Stored, number> {
  const file = await Deno.open(path);
  const texts = file.readable.pipeThrough(new DecompressionStream("gzip"))
    .pipeThrough(new TextDecoderStream());
  const tally = createTally();
  let [at, isWhole]: [number | null, boolean] = [null, false];
  let line = 1;
  let rest = "";
  try {
    for await (const text of texts) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const each of lines) {
        requireLine(each);
        if (isWhole) throw new SyntaxError("a line below the end");
        const value = decodeValue(each);
        if (at === null) at = readHead(path, value);
        else if (isObject(value) && "end" in value) {
          if (each !== tally.endLine()) throw lacksValues(path);
          isWhole = true;
        } else {
          const stored = readLine(value);
          tally.addKind(stored.key);
          yield stored;
        }
        tally.addLine(each);
        line++;
      }
      requireLine(rest);
    }
  } catch (cause) {
    if (cause instanceof BackupFileError) throw cause;
    throw new BackupFileError(`${path} is not a backup, or is damaged at line ${line}`, { cause });
  }
  if (at === null || rest !== "") throw notABackup(path);
  if (!isWhole) throw lacksValues(path);
  return at;
}

/** Counts the values of a file by their kinds, and digests its lines. */
function createTally() {
  const hash = createHash("sha256");
  const values: Record<string, number> = {};
  return {
    addLine: (text: string) => void hash.update(`${text}\n`),
    addKind([first]: Deno.KvKey): void {
      const kind = String(first);
      values[kind] = (values[kind] ?? 0) + 1;
    },
    /** The last line, which follows those that were added. */
    endLine: () => JSON.stringify({ end: { values, sha256: hash.copy().digest("hex") } }),
  };
}

function lacksValues(path: string): BackupFileError {
  return new BackupFileError(
    `${path} is not whole: its values are not those that its end counts. Use another backup`,
  );
}

function requireLine(text: string): void {
  if (text.length > MAX_LINE_LENGTH) throw new SyntaxError("an endless line");
}

function readHead(path: string, head: unknown): number {
  const { backup, format, at } = isObject(head) ? head : {};
  const isMoment = typeof at === "number" && at >= 0 && at <= MAX_AT;
  if (backup !== "foyer" || !isMoment) throw notABackup(path);
  if (format === FORMAT) return at;
  throw new BackupFileError(
    `${path} has the format ${
      Number(format)
    }, and this version reads ${FORMAT}: use the version that wrote it`,
  );
}

function notABackup(path: string): BackupFileError {
  return new BackupFileError(`${path} is not a backup of Foyer; deno task backup writes one`);
}

function readLine(line: unknown): Stored {
  const { key, value } = isObject(line) ? line : {};
  if (!Array.isArray(key) || !key.every(isKeyPart) || value === undefined) {
    throw new SyntaxError("not a value with its key");
  }
  return { key, value };
}

function isKeyPart(part: unknown): part is Deno.KvKeyPart {
  return ["string", "number", "bigint", "boolean"].includes(typeof part) ||
    part instanceof Uint8Array;
}

/**
 * The JSON text of a stored value. A value that JSON lacks is an object with one member, whose name begins with `$`; no
 * stored object has such a member.
 */
export function encodeValue(value: unknown): string {
  return JSON.stringify(value, (_name, each) => {
    if (typeof each === "bigint") return { $bigint: String(each) };
    if (each instanceof Deno.KvU64) return { $u64: String(each.value) };
    return each instanceof Uint8Array ? { $bytes: each.toBase64() } : each;
  });
}

/**
 * The value of a JSON text that {@linkcode encodeValue} made.
 *
 * @throws {SyntaxError} for a text that is not JSON.
 */
export function decodeValue(text: string): unknown {
  return JSON.parse(text, (_name, each) => {
    if (!isObject(each)) return each;
    const { $bigint: bigint, $u64: u64, $bytes: bytes } = each;
    if (typeof bigint === "string") return BigInt(bigint);
    if (typeof u64 === "string") return new Deno.KvU64(BigInt(u64));
    return typeof bytes === "string" ? Uint8Array.fromBase64(bytes) : each;
  });
}
