/** The tables of a font in WOFF2 (W3C WOFF 2.0, sections 4 and 5), as far as this room reads them. */

import { brotliDecompressSync } from "node:zlib";

/** Why a file cannot be the site's font. */
export class FontError extends Error {
  override readonly name = "FontError";
  /** @param what the fault, as the rest of a sentence that begins with "it". */
  constructor(what: string, options?: ErrorOptions) {
    super(`it ${what}`, options);
  }
}

/** Tables by their tags. */
export type Tables = ReadonlyMap<string, DataView>;

/** The tags that this room needs, by their numbers (section 4.1); HVAR has none. */
const TAGS: Readonly<Record<number, string>> = {
  ...{ 0: "cmap", 1: "head", 2: "hhea", 3: "hmtx", 10: "glyf", 11: "loca", 39: "avar", 47: "fvar" },
};
const SIGNATURE = 0x774f4632;
const COLLECTION = 0x74746366;
const HEADER_LENGTH = 48;
/** A tag in place of a number. */
const ARBITRARY = 63;
const MAX_TABLES = 100;
/** The largest decompressed size. Fonts of a hundred kilobytes have a quarter of a megabyte. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Unpacks a file.
 *
 * @throws {FontError} if it is not a font in WOFF2, or is damaged.
 */
export function readTables(file: Uint8Array<ArrayBuffer>): Tables {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (view.byteLength < HEADER_LENGTH || view.getUint32(0) !== SIGNATURE) {
    throw new FontError("is no font in WOFF2");
  }
  if (view.getUint32(4) === COLLECTION) throw new FontError("is a collection of fonts");
  try {
    const { entries, end } = readDirectory(view);
    const packed = file.subarray(end, end + view.getUint32(20));
    const unpacked = brotliDecompressSync(packed, { maxOutputLength: MAX_BYTES });
    const tables = new Map<string, DataView>();
    let at = 0;
    for (const { tag, length } of entries) {
      tables.set(tag, new DataView(unpacked.buffer, unpacked.byteOffset + at, length));
      at += length;
    }
    return tables;
  } catch (error) {
    if (error instanceof FontError) throw error;
    throw new FontError("is damaged", { cause: error });
  }
}

function readDirectory(view: DataView) {
  const count = view.getUint16(12);
  if (count > MAX_TABLES) throw new FontError("is damaged");
  const entries: { tag: string; length: number }[] = [];
  let at = HEADER_LENGTH;

  /** A number in groups of seven bits (section 4.1, UIntBase128). */
  function takeNumber(): number {
    let value = 0;
    for (let bytes = 0; bytes < 5; bytes++) {
      const byte = view.getUint8(at++);
      value = value * 128 + (byte & 127);
      if (byte < 128) return value;
    }
    throw new FontError("is damaged");
  }

  for (let index = 0; index < count; index++) {
    const flags = view.getUint8(at++);
    const number = flags & 63;
    let tag = TAGS[number] ?? "";
    if (number === ARBITRARY) {
      tag = String.fromCharCode(...[0, 1, 2, 3].map((offset) => view.getUint8(at + offset)));
      at += 4;
    }
    const version = flags >> 6;
    const length = takeNumber();
    // The number that means "not transformed" is 3 for outlines and 0 for other tables.
    const isOutline = tag === "glyf" || tag === "loca";
    const isTransformed = isOutline ? version !== 3 : version !== 0;
    const packedLength = isTransformed ? takeNumber() : length;
    entries.push({ tag: isTransformed ? `${tag} transformed` : tag, length: packedLength });
  }
  return { entries, end: at };
}
