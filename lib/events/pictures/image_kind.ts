/** An image's type and size by its bytes, not by its headers. */

/** A raster image that browsers show. SVG is not among them, since it can hold scripts. */
interface ImageKind {
  readonly type: "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "image/avif";
  readonly width: number;
  readonly height: number;
}

/** An image that was fetched and checked. */
export interface StoredImage {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Identifies the attachment that it was fetched from; part of the image's address. */
  readonly version: string;
}

/** A small file with a longer side or more pixels would fill a visitor's memory. */
const MAX_SIDE = 8_192;
const MAX_PIXELS = 32_000_000;
/** The part of a file in which its format is named. */
const HEAD_LENGTH = 64;

/** The kind of an image; null if it is unknown, damaged, or too large to show. */
export function imageKind(bytes: Uint8Array): ImageKind | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = String.fromCharCode(...bytes.subarray(0, HEAD_LENGTH));
  let kind: ImageKind | null;
  try {
    kind = readPng(view, head) ?? readJpeg(view) ?? readGif(view, head) ?? readWebp(view, head) ??
      readAvif(view, head);
  } catch (error) {
    // A view throws if a file is shorter than its structure.
    if (error instanceof RangeError) return null;
    throw error;
  }
  if (kind === null) return null;
  const { width, height } = kind;
  const fits = width > 0 && height > 0 && Math.max(width, height) <= MAX_SIDE &&
    width * height <= MAX_PIXELS;
  return fits ? kind : null;
}

function readPng(view: DataView, head: string): ImageKind | null {
  if (!head.startsWith("\x89PNG\r\n\x1a\n") || !head.startsWith("IHDR", 12)) return null;
  return { type: "image/png", width: view.getUint32(16), height: view.getUint32(20) };
}

/** The screen, or the first frame if it is larger: readers allocate both (GIF89a, sections 18 and 20). */
function readGif(view: DataView, head: string): ImageKind | null {
  if (!/^GIF8[79]a/.test(head)) return null;
  let at = 13 + colorsLength(view.getUint8(10));
  // Extensions come before the first frame. Each is a list of blocks that begin with their length; an empty one ends it.
  for (; view.getUint8(at) === 0x21; at++) {
    at += 2;
    while (view.getUint8(at) !== 0) at += 1 + view.getUint8(at);
  }
  const side = (screen: number, offset: number) =>
    Math.max(
      view.getUint16(screen, true),
      view.getUint16(at + offset, true) + view.getUint16(at + offset + 4, true),
    );
  return { type: "image/gif", width: side(6, 1), height: side(8, 3) };
}

/** The length of a colour table in bytes, by its flags. */
function colorsLength(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** Walks the segments to the first that starts a frame (ISO 10918-1, table B.1). */
function readJpeg(view: DataView): ImageKind | null {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return null;
  let at = 2;
  while (at < view.byteLength) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      return { type: "image/jpeg", width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    }
    const isBare = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    // Scan data or the end before a frame: no picture.
    if (marker === 0xda || marker === 0xd9) return null;
    at += isBare ? 2 : 2 + view.getUint16(at + 2);
  }
  return null;
}

function readWebp(view: DataView, head: string): ImageKind | null {
  const [, format] = /^RIFF[^]{4}WEBP(VP8[XL ])/.exec(head) ?? [];
  if (format === undefined) return null;
  const type = "image/webp";
  if (format === "VP8X") {
    return { type, width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
  }
  if (format === "VP8L") {
    const bits = view.getUint32(21, true);
    return { type, width: (bits & 0x3fff) + 1, height: (bits >>> 14 & 0x3fff) + 1 };
  }
  return {
    type,
    width: view.getUint16(26, true) & 0x3fff,
    height: view.getUint16(28, true) & 0x3fff,
  };
}

/** Finds the `ispe` boxes (image spatial extents, ISO 23008-12) in the file's head; the largest counts. */
function readAvif(view: DataView, head: string): ImageKind | null {
  if (!head.startsWith("ftyp", 4) || !/avi[fs]/.test(head.slice(8, view.getUint32(0)))) return null;
  let largest: ImageKind | null = null;
  const end = Math.min(view.byteLength - 16, 65_536);
  for (let at = 0; at < end; at++) {
    if (view.getUint32(at) !== 0x69737065) continue;
    const [width, height] = [view.getUint32(at + 8), view.getUint32(at + 12)];
    if (largest === null || width * height > largest.width * largest.height) {
      largest = { type: "image/avif", width, height };
    }
  }
  return largest;
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) + view.getUint8(at + 2) * 65_536;
}
