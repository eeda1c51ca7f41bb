/** Pictures that stall their reader, each within the limit of 5 MB. */

import { crc32, deflateSync } from "node:zlib";
import { joinBytes } from "../../lib/platform/bytes.ts";
import { encodePng, ringsPng } from "./png.ts";

/** One of each kind, by its defect. */
export function hostilePictures(): ReadonlyMap<string, Uint8Array<ArrayBuffer>> {
  const png = ringsPng(256, 256);
  const vast = png.slice();
  // The offset of width and height in its header.
  new DataView(vast.buffer).setUint32(16, 60_000);
  new DataView(vast.buffer).setUint32(20, 60_000);
  const side = 4_000;
  const indexes = Uint8Array.from({ length: side * side }, (_, at) => at * 7_919 >>> 9 & 3);
  const palette = Uint8Array.of(255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9);
  return new Map([
    ["a GIF of 220,000 frames", movingGif(220_000)],
    ["a GIF of 100,000 frames", movingGif(100_000)],
    ["a WebP of 100,000 frames in each other", movingWebp(100_000)],
    ["a WebP that takes 680 MB", bulkyWebp()],
    ["a PNG with texts of 5 GB", talkativePng(png)],
    ["a PNG that says it has 3,600 megapixels", vast],
    ["a PNG of 16 megapixels", encodePng({ width: side, height: side, indexes, palette })],
    ["half a PNG", png.slice(0, png.length / 2)],
  ]);
}

/** A chunk of a PNG file: length, type, content and checksum. */
export function pngChunk(type: string, content: Iterable<number>): Uint8Array {
  const body = Uint8Array.of(...new TextEncoder().encode(type), ...content);
  return Uint8Array.of(...uint32(body.length - 4), ...body, ...uint32(crc32(body)));
}

/** A PNG with texts of five gigabytes in five megabytes, which take Skia some 20 seconds. */
function talkativePng(png: Uint8Array): Uint8Array<ArrayBuffer> {
  const words = deflateSync(new Uint8Array(7_900_000));
  const text = pngChunk("zTXt", Uint8Array.of(0x6b, 0, 0, ...words));
  const international = pngChunk("iTXt", Uint8Array.of(0x6b, 0, 1, 0, 0, 0, ...words));
  const plain = pngChunk("tEXt", new TextEncoder().encode("k\0words"));
  // A header takes 25 bytes.
  const texts = Array(310).fill([text, international]).flat();
  return joinBytes([png.subarray(0, 33), ...texts, plain, png.subarray(33)]);
}

/**
 * A WebP file of some frames of one pixel, each with no picture in it. Each says that it reaches to the end of the
 * file: readers find the next one in it all the same.
 */
function movingWebp(frames: number): Uint8Array<ArrayBuffer> {
  const text = (words: string) => [...words].map((sign) => sign.charCodeAt(0));
  const head = [...text("RIFF"), ...uint32(0), ...text("WEBPVP8X"), 10, 0, 0, 0, 2];
  head.push(...Array(9).fill(0));
  // Content of an odd length is followed by a padding byte.
  const frame = [...text("ANMF"), 17, 0, 0, 0, ...Array(18).fill(0)];
  const file = new Uint8Array(head.length + frames * frame.length);
  file.set(head);
  for (let at = head.length; at < file.length; at += frame.length) file.set(frame, at);
  const view = new DataView(file.buffer);
  for (let at = head.length; at < file.length; at += frame.length) {
    view.setUint32(at + 4, file.length - at - 8, true);
  }
  return file;
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

/**
 * A GIF of some frames. Each one but the first is smaller than the screen, and restores the previous picture (GIF89a,
 * disposal 3), for which Skia needs time by the square of their number.
 */
function movingGif(frames: number): Uint8Array<ArrayBuffer> {
  const signature = new TextEncoder().encode("GIF89a");
  const head = [...signature, 2, 0, 2, 0, 0x80, 0, 0, ...[0, 0, 0], ...[255, 255, 255]];
  const frame = (side: number, ...pixels: number[]) => [
    ...[0x21, 0xf9, 4, 3 << 2, 0, 0, 0, 0],
    ...[0x2c, 0, 0, 0, 0, side, 0, side, 0, 0],
    ...[2, pixels.length, ...pixels, 0],
  ];
  const [first, other] = [frame(2, 0x84, 0x51), frame(1, 0x44, 0x01)];
  const file = new Uint8Array(head.length + first.length + (frames - 1) * other.length + 1);
  file.set([...head, ...first]);
  for (let at = head.length + first.length; at + other.length < file.length; at += other.length) {
    file.set(other, at);
  }
  file[file.length - 1] = 0x3b;
  return file;
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}
