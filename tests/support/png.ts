/** PNG files for tests, of 256 colours (W3C PNG, third edition, sections 5, 10 and 11). */

import { crc32, deflateSync } from "node:zlib";
import { joinBytes } from "../../lib/platform/bytes.ts";

/** Encodes pixels: one byte for each, row by row, an index into `palette`, which holds three bytes for each colour. */
export function encodePng({ width, height, indexes, palette }: {
  readonly width: number;
  readonly height: number;
  readonly indexes: Uint8Array;
  readonly palette: Uint8Array;
}): Uint8Array<ArrayBuffer> {
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  // Eight bits a pixel, by a palette.
  header.setUint16(8, 0x0803);
  // Every row starts with its filter: none.
  const rows = new Uint8Array((width + 1) * height);
  for (let y = 0; y < height; y++) {
    rows.set(indexes.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  }
  return joinBytes([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk("IHDR", new Uint8Array(header.buffer)),
    chunk("PLTE", palette),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", new Uint8Array()),
  ]);
}

/** A PNG of one colour. */
export function plainPng(width: number, height: number): Uint8Array<ArrayBuffer> {
  const indexes = new Uint8Array(width * height);
  return encodePng({ width, height, indexes, palette: Uint8Array.of(20, 60, 140) });
}

/** A chunk: length, type, content and checksum. */
function chunk(type: string, content: Uint8Array): Uint8Array {
  const bytes = joinBytes([
    new Uint8Array(4),
    new TextEncoder().encode(type),
    content,
    new Uint8Array(4),
  ]);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, content.length);
  view.setUint32(bytes.length - 4, crc32(bytes.subarray(4, -4)));
  return bytes;
}

/** A picture of rings in shades of one colour. */
export function ringsPng(width: number, height: number): Uint8Array<ArrayBuffer> {
  return encodePng({
    width,
    height,
    indexes: Uint8Array.from(
      { length: width * height },
      (_, at) => ((at % width) ** 2 + Math.floor(at / width) ** 2) >> 8,
    ),
    palette: Uint8Array.from({ length: 768 }, (_, at) => [20, at / 3, 90][at % 3] ?? 0),
  });
}

/** Such a picture as an attachment of the record store has it. */
export function pngFile(width: number, height: number) {
  return { bytes: ringsPng(width, height), type: "image/png", width, height };
}
