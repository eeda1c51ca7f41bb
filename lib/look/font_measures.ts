/**
 * The measures of a variable font, with which a page does not move when the font replaces a system font (OpenType
 * 1.9: fvar, avar, hhea, cmap, hmtx, HVAR).
 */

import { FontError, readTables, type Tables } from "./woff2.ts";
import { readVariations } from "./font_variations.ts";

/** The measures of a font. Lengths are shares of the font's size. */
interface FontMeasures {
  readonly minWeight: number;
  readonly maxWeight: number;
  readonly ascent: number;
  readonly descent: number;
  readonly lineGap: number;
  /** The mean advance of letters in English words, in the weight of headings. */
  readonly advance: number;
}

/** The weight of headings. */
const HEADING_WEIGHT = 700;

/** The frequency of each letter in English, in thousandths. */
const FREQUENCIES: Readonly<Record<string, number>> = {
  ...{ " ": 180, e: 102, t: 75, a: 65, o: 62, n: 57, i: 57, s: 53, r: 50, h: 50, l: 33, d: 33 },
  ...{ u: 23, c: 22, m: 20, w: 19, f: 18, g: 16, y: 16, p: 15, b: 12, v: 8, k: 6, x: 1, j: 1 },
  ...{ q: 1, z: 1 },
};

/** The mean width of letters, weighted by their frequency in English. */
export function meanWidth(widthOf: (letter: string) => number): number {
  let [sum, count] = [0, 0];
  for (const [letter, frequency] of Object.entries(FREQUENCIES)) {
    sum += frequency * widthOf(letter);
    count += frequency;
  }
  return sum / count;
}

/** @throws {FontError} if the file is not a variable font in WOFF2 with Latin letters. */
export function measureFont(file: Uint8Array<ArrayBuffer>): FontMeasures {
  const tables = readTables(file);
  try {
    return measure(tables);
  } catch (error) {
    // A view throws if a table is shorter than its structure.
    if (error instanceof RangeError) throw new FontError("is damaged", { cause: error });
    throw error;
  }
}

function measure(tables: Tables): FontMeasures {
  const { weights, advanceDelta } = readVariations(tables, HEADING_WEIGHT);
  const unitsPerEm = table(tables, "head").getUint16(18);
  const hhea = table(tables, "hhea");
  const glyphOf = readCharacters(table(tables, "cmap"));
  const advanceOf = readAdvances(tables, hhea.getUint16(34));
  const advance = meanWidth((letter) => {
    const glyph = glyphOf(letter.charCodeAt(0));
    if (glyph === 0) throw new FontError(`lacks the letter ${JSON.stringify(letter)}`);
    return advanceOf(glyph) + advanceDelta(glyph);
  });
  const found = {
    minWeight: weights.min,
    maxWeight: weights.max,
    ascent: hhea.getInt16(4) / unitsPerEm,
    descent: -hhea.getInt16(6) / unitsPerEm,
    lineGap: hhea.getInt16(8) / unitsPerEm,
    advance: advance / unitsPerEm,
  };
  const isPlausible = found.advance > 0.1 && found.advance < 3 && found.ascent > 0.1 &&
    found.ascent < 5 && found.descent >= 0 && found.descent < 5 && found.lineGap >= 0 &&
    found.lineGap < 5;
  if (!isPlausible) throw new FontError("has impossible measures");
  return found;
}

/** @throws {FontError} if the table is missing. */
function table(tables: Tables, tag: string): DataView {
  const found = tables.get(tag);
  if (found === undefined) throw new FontError(`lacks the table ${tag}`);
  return found;
}

/** The number of the glyph of a character of the basic plane, 0 if there is none. */
function readCharacters(cmap: DataView): (code: number) => number {
  const records = Array.from({ length: cmap.getUint16(2) }, (_, at) => ({
    platform: cmap.getUint16(4 + 8 * at),
    offset: cmap.getUint32(8 + 8 * at),
  }));
  // Unicode, and Microsoft's Unicode.
  for (const { platform, offset } of records) {
    if (platform !== 0 && platform !== 3) continue;
    const format = cmap.getUint16(offset);
    if (format === 4) return (code) => inSegments(cmap, offset, code);
    if (format === 12) return (code) => inGroups(cmap, offset, code);
  }
  throw new FontError("has no readable table of characters");
}

/** Format 4. */
function inSegments(cmap: DataView, offset: number, code: number): number {
  const doubled = cmap.getUint16(offset + 6);
  const [ends, starts] = [offset + 14, offset + 16 + doubled];
  const [deltas, ranges] = [starts + doubled, starts + 2 * doubled];
  for (let at = 0; at < doubled; at += 2) {
    if (cmap.getUint16(ends + at) < code) continue;
    const start = cmap.getUint16(starts + at);
    if (start > code) return 0;
    const delta = cmap.getUint16(deltas + at);
    const range = cmap.getUint16(ranges + at);
    if (range === 0) return (code + delta) & 0xffff;
    const glyph = cmap.getUint16(ranges + at + range + 2 * (code - start));
    return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
  }
  return 0;
}

/** Format 12. */
function inGroups(cmap: DataView, offset: number, code: number): number {
  const count = cmap.getUint32(offset + 12);
  for (let group = 0; group < count; group++) {
    const at = offset + 16 + 12 * group;
    if (code > cmap.getUint32(at + 4)) continue;
    const start = cmap.getUint32(at);
    return start > code ? 0 : cmap.getUint32(at + 8) + code - start;
  }
  return 0;
}

/** The advances of glyphs in the font's usual weight. */
function readAdvances(tables: Tables, count: number): (glyph: number) => number {
  const packed = tables.get("hmtx transformed");
  // Packed, all advances follow a byte of flags; else a bearing follows each (WOFF 2.0, section 5.4).
  const [view, first, step] = packed === undefined
    ? [table(tables, "hmtx"), 0, 4] as const
    : [packed, 1, 2] as const;
  return (glyph) => view.getUint16(first + step * Math.min(glyph, count - 1));
}
