/** A picture that stalls its reader, and the parts of one. */

import { crc32 } from "node:zlib";

/** A chunk of a PNG file: length, type, content and checksum. */
export function pngChunk(type: string, content: Iterable<number>): Uint8Array {
  const body = Uint8Array.of(...new TextEncoder().encode(type), ...content);
  return Uint8Array.of(...uint32(body.length - 4), ...body, ...uint32(crc32(body)));
}

/**
 * A lossless WebP file of 1,024 by 1,024 pixels in 300 KB, for which a reader makes tables of 680 MB: each of 65,536
 * blocks has its own codes (RFC 9649, section 3.7.2).
 */
export function bulkyWebp(): Uint8Array<ArrayBuffer> {
  const bits: number[] = [];
  const put = (value: number, count: number) => {
    for (let at = 0; at < count; at++) bits.push(value >>> at & 1);
  };
  /** A code of one symbol, 0, which takes no bits. */
  const putSilentCode = () => put(0b0001, 4);
  /** A code in which each of 256 symbols takes eight bits. */
  const putFlatCode = () => {
    put(0, 1);
    put(8, 4);
    for (let at = 0; at < 12; at++) put(at === 11 ? 1 : 0, 3);
    put(1, 1);
    put(3, 3);
    put(254, 8);
  };
  const putFlat = (value: number) => {
    for (let at = 7; at >= 0; at--) put(value >>> at & 1, 1);
  };
  put(0x2f, 8);
  put(1_023, 14);
  put(1_023, 14);
  // No alpha, version 0; no transform, no cache of colours; groups of codes, in squares of 4 pixels.
  put(0, 1 + 3 + 1 + 1);
  put(1, 1);
  put(0, 3);
  put(0, 1);
  putFlatCode();
  putFlatCode();
  for (let at = 0; at < 3; at++) putSilentCode();
  for (let group = 0; group < 65_536; group++) {
    putFlat(group & 255);
    putFlat(group >>> 8);
  }
  for (let code = 0; code < 5 * 65_536; code++) putSilentCode();
  while (bits.length % 16 !== 0) bits.push(0);
  const length = bits.length / 8;
  const file = new Uint8Array(20 + length);
  const view = new DataView(file.buffer);
  new TextEncoder().encodeInto("RIFF    WEBPVP8L", file);
  view.setUint32(4, 12 + length, true);
  view.setUint32(16, length, true);
  for (const [at, bit] of bits.entries()) {
    if (bit === 1) view.setUint8(20 + (at >> 3), view.getUint8(20 + (at >> 3)) | 1 << (at & 7));
  }
  return file;
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}
