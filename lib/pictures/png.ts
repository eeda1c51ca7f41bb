/**
 * PNG files (W3C PNG, third edition: sections 5, 9 and 11): writing them, and reading their chunks where Skia's
 * own reader would take too long. Skia's encoder takes a third of a second for a photograph; this one a fraction.
 */

import { promisify } from "node:util";
import { crc32, deflate } from "node:zlib";

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const BIT_DEPTH = 8;
const TRUE_COLOR = 2;
/** Stores each byte as its difference from the one above: nearly the best filter for posters and photographs. */
const FILTER_UP = 2;
/** A chunk's bytes besides its content: length, type and checksum. */
const CHUNK_OVERHEAD = 12;
/** The types of chunks by their four letters. */
const [ANIMATION_CONTROL, IMAGE_DATA, TRANSPARENCY] = [0x6163544c, 0x49444154, 0x74524e53];
/** The offset of the colour type in the first chunk, after signature, length, type, sides and depth. */
const COLOR_TYPE_AT = 25;
/** `tEXt`, `zTXt`, `iTXt`. */
const TEXTS: ReadonlySet<number> = new Set([0x74455874, 0x7a545874, 0x69545874]);

const compress = promisify(deflate);

/** Opaque pixels as a file; four bytes each, the fourth of which is ignored. */
export async function encodePng(
  rgba: Uint8Array,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const size = [...uint32(width), ...uint32(height)];
  const file = new Blob([
    Uint8Array.from(SIGNATURE),
    ...chunk("IHDR", Uint8Array.from([...size, BIT_DEPTH, TRUE_COLOR, 0, 0, 0])),
    ...chunk("IDAT", new Uint8Array(await compress(filterRows(rgba, width, height)))),
    ...chunk("IEND", new Uint8Array()),
  ]);
  return new Uint8Array(await file.arrayBuffer());
}

function filterRows(rgba: Uint8Array, width: number, height: number): Uint8Array {
  const filtered = new Uint8Array(height * (1 + 3 * width));
  const above = 4 * width;
  let to = 0;
  for (let from = 0; from < 4 * width * height; from += 4) {
    if (from % above === 0) filtered[to++] = FILTER_UP;
    for (let at = from; at < from + 3; at++) {
      // The row above the first counts as zeros.
      filtered[to++] = (rgba[at] ?? 0) - (rgba[at - above] ?? 0);
    }
  }
  return filtered;
}

/** Length, type, content and checksum. */
function chunk(type: string, content: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
  const name = new TextEncoder().encode(type);
  return [uint32(content.length), name, content, uint32(crc32(content, crc32(name)))];
}

function uint32(value: number): Uint8Array<ArrayBuffer> {
  const bytes = new DataView(new ArrayBuffer(4));
  bytes.setUint32(0, value);
  return new Uint8Array(bytes.buffer);
}

/**
 * The file without its text chunks, on which no pixel depends. Skia decompresses each of them, a few kilobytes into
 * as much as 8 MB, so a file of 5 MB would keep it busy for 20 seconds.
 */
export function withoutTexts(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const picture = new Uint8Array(bytes.length);
  picture.set(bytes.subarray(0, SIGNATURE.length));
  let length = SIGNATURE.length;
  for (const { type, at, next } of chunksOf(bytes)) {
    if (TEXTS.has(type)) continue;
    const chunk = bytes.subarray(at, next);
    picture.set(chunk, length);
    length += chunk.length;
  }
  return picture.subarray(0, length);
}

/** Whether a chunk before the pixels announces an animation (acTL), which Skia reads as one frame. */
export function isMovingPng(bytes: Uint8Array): boolean {
  for (const { type } of chunksOf(bytes)) {
    if (type === ANIMATION_CONTROL) return true;
    if (type === IMAGE_DATA) return false;
  }
  return false;
}

/** Whether no pixel can be transparent: it has neither alpha nor a transparent colour (tRNS). */
export function isOpaquePng(bytes: Uint8Array): boolean {
  const hasAlpha = ((bytes[COLOR_TYPE_AT] ?? 0) & 4) !== 0;
  return !hasAlpha && !chunksOf(bytes).some(({ type }) => type === TRANSPARENCY);
}

/** The chunks in order; the last one may be cut short. */
function* chunksOf(bytes: Uint8Array): Generator<{ type: number; at: number; next: number }> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = SIGNATURE.length;
  while (at + 8 <= bytes.length) {
    const next = at + CHUNK_OVERHEAD + view.getUint32(at);
    yield { type: view.getUint32(at + 4), at, next };
    at = next;
  }
}
