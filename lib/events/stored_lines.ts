/**
 * A large value as one compressed JSON text, in which each item of `events` has a line of its own, so that it is
 * written and parsed in slices, between which requests are served.
 */

import { promisify } from "node:util";
import { zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib";
import { joinBytes } from "../platform/bytes.ts";
import { DIGEST_LENGTH, digestOf } from "../platform/digest.ts";
import { mapInSlices } from "../platform/timeout.ts";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
/** Below so many bytes, another thread would take longer than the work. */
const SMALL_TEXT_BYTES = 256 * 1024;
const SMALL_COMPRESSED_BYTES = 16 * 1024;
/** The default of 16 KiB makes hundreds of buffers, which are then copied together. */
const LARGE_CHUNKS = { chunkSize: 2 ** 20 };
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The bytes of a value. They begin with a digest of the rest. */
export async function packLines(
  { events, ...rest }: { readonly events: readonly object[] },
): Promise<Uint8Array<ArrayBuffer>> {
  const lines = await mapInSlices(events, (event) => JSON.stringify(event));
  const text = `{"events":[\n${lines.join(",\n")}\n],"rest":${JSON.stringify(rest)}}`;
  const plain = encoder.encode(text);
  const compressed = plain.length < SMALL_TEXT_BYTES
    ? zstdCompressSync(plain)
    : await compress(plain, LARGE_CHUNKS);
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
  const plain = compressed.length < SMALL_COMPRESSED_BYTES
    ? zstdDecompressSync(compressed)
    : await decompress(compressed, LARGE_CHUNKS);
  const lines = decoder.decode(plain).split("\n");
  const last = lines.length - 1;
  const { rest } = JSON.parse(`${lines[0]}${lines[last]}`);
  const items = lines.slice(1, last).filter((line) => line !== "");
  const events = await mapInSlices(
    items,
    (line) => JSON.parse(line.endsWith(",") ? line.slice(0, -1) : line),
  );
  return { ...rest, events };
}
