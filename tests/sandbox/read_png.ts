// Reads a PNG file strictly, independent of the encoder: signature, chunks and their checksums, pixels.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { inflateSync } from "node:zlib";

/** The content of a PNG file. `rows` are the inflated pixels, each row with its filter byte. */
interface PngFile {
  width: number;
  height: number;
  colorType: number;
  chunks: string[];
  rows: Uint8Array;
}

/** Reads a file; fails the test where it breaks the format. */
export function readPng(bytes: Uint8Array): PngFile {
  assert.deepEqual([...bytes.subarray(0, 8)], [137, 80, 78, 71, 13, 10, 26, 10]);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunks = new Map<string, Uint8Array>();
  const pixels: Uint8Array[] = [];
  let at = 8;
  while (at < bytes.length) {
    const length = view.getUint32(at);
    const type = new TextDecoder().decode(bytes.subarray(at + 4, at + 8));
    assert.equal(
      view.getUint32(at + 8 + length),
      crc(bytes.subarray(at + 4, at + 8 + length)),
      type,
    );
    const content = bytes.subarray(at + 8, at + 8 + length);
    chunks.set(type, content);
    if (type === "IDAT") pixels.push(content);
    at += 12 + length;
  }
  assert.equal(at, bytes.length);

  const header = chunks.get("IHDR") ?? assert.fail("no IHDR");
  const [width, height] = [
    new DataView(header.buffer, header.byteOffset).getUint32(0),
    new DataView(header.buffer, header.byteOffset).getUint32(4),
  ];
  const [depth, colorType = -1, ...methods] = header.subarray(8);
  assert.equal(depth, 8);
  assert.deepEqual(methods, [0, 0, 0]);
  const rows = new Uint8Array(inflateSync(Buffer.concat(pixels)));
  const samples = colorType === 3 ? 1 : colorType === 2 ? 3 : 4;
  assert.equal(rows.length, height * (1 + width * samples));
  if (colorType === 3) assert.equal(chunks.get("PLTE")?.length, 768);
  return { width, height, colorType, chunks: [...chunks.keys()], rows };
}

/** CRC-32 bit by bit, as PNG's annex writes it. */
function crc(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return (value ^ 0xffffffff) >>> 0;
}
