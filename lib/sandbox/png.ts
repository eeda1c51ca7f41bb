// A PNG encoder of the two kinds that the artwork needs: true colour with alpha, and 256 colours.
// Format: PNG (W3C, third edition), sections 5 (chunks), 10 (deflate) and 11 (IHDR, PLTE, IDAT, IEND).

import { crc32, deflateSync } from "node:zlib";

/** Pixels with alpha, four bytes each, row by row. */
export interface TrueColorImage {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

/** One byte per pixel, row by row: an index into `palette`, which holds three bytes (red, green, blue) per colour. */
export interface IndexedImage {
  readonly width: number;
  readonly height: number;
  readonly indexes: Uint8Array;
  readonly palette: Uint8Array;
}

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const COLOR_TYPE_INDEXED = 3;
const COLOR_TYPE_TRUE_COLOR_ALPHA = 6;

/** Encodes an image as a PNG file, eight bits per sample. */
export function encodePng(image: TrueColorImage | IndexedImage): Uint8Array<ArrayBuffer> {
  const indexed = "indexes" in image;
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, image.width);
  header.setUint32(4, image.height);
  header.setUint8(8, 8);
  header.setUint8(9, indexed ? COLOR_TYPE_INDEXED : COLOR_TYPE_TRUE_COLOR_ALPHA);

  const pixels = indexed ? image.indexes : image.rgba;
  return join([
    Uint8Array.from(SIGNATURE),
    chunk("IHDR", new Uint8Array(header.buffer)),
    ...(indexed ? [chunk("PLTE", image.palette)] : []),
    chunk("IDAT", deflateSync(unfilteredRows(pixels, image.height), { level: 6 })),
    chunk("IEND", new Uint8Array()),
  ]);
}

/** Every row starts with the number of its filter; 0 is none, which suits flat and indexed pictures best. */
function unfilteredRows(pixels: Uint8Array, height: number): Uint8Array {
  const stride = pixels.length / height;
  const rows = new Uint8Array((stride + 1) * height);
  for (let y = 0; y < height; y++) {
    rows.set(pixels.subarray(y * stride, (y + 1) * stride), y * (stride + 1) + 1);
  }
  return rows;
}

/** Length of the data, type, data, checksum over type and data. */
function chunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(data.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set(new TextEncoder().encode(type), 4);
  bytes.set(data, 8);
  view.setUint32(data.length + 8, crc32(bytes.subarray(4, data.length + 8)));
  return bytes;
}

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
