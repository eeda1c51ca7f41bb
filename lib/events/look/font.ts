/**
 * The organisation's font for headings: a variable font in WOFF2, checked, and measured, so that a page does not move
 * when the font replaces a system font (OpenType 1.9: hhea, cmap, hmtx).
 */

import { digestOf } from "../../platform/digest.ts";
import type { SiteFont } from "../site/site.ts";
import { readVariations } from "./font_variations.ts";
import { FontError, readTables, type Tables } from "./woff2.ts";

/** The largest file: every visitor loads the font on the first page. */
export const MAX_FONT_BYTES = 200 * 1024;

/** The weight of headings. */
const HEADING_WEIGHT = 700;

/** The widths of Arial Bold, and of the fonts with the same measures, in thousandths of their size. */
const FALLBACK_WIDTHS: Readonly<Record<string, number>> = {
  ...{ " ": 278, a: 556, b: 611, c: 556, d: 611, e: 556, f: 333, g: 611, h: 611, i: 278, j: 278 },
  ...{ k: 556, l: 278, m: 889, n: 611, o: 611, p: 611, q: 611, r: 389, s: 556, t: 333, u: 611 },
  ...{ v: 556, w: 778, x: 556, y: 556, z: 500 },
};

/** The frequency of each letter in English, in thousandths. */
const FREQUENCIES: Readonly<Record<string, number>> = {
  ...{ " ": 180, e: 102, t: 75, a: 65, o: 62, n: 57, i: 57, s: 53, r: 50, h: 50, l: 33, d: 33 },
  ...{ u: 23, c: 22, m: 20, w: 19, f: 18, g: 16, y: 16, p: 15, b: 12, v: 8, k: 6, x: 1, j: 1 },
  ...{ q: 1, z: 1 },
};

/** @throws {FontError} if the file is not a variable font in WOFF2 with Latin letters. */
export function readFont(file: Uint8Array<ArrayBuffer>): SiteFont {
  const tables = readTables(file);
  try {
    return { bytes: file, version: digestOf(file).slice(0, 7), ...measure(tables) };
  } catch (error) {
    // A view throws if a table is shorter than its structure.
    if (error instanceof RangeError) throw new FontError("is damaged", { cause: error });
    throw error;
  }
}

function measure(tables: Tables): Omit<SiteFont, "bytes" | "version"> {
  const { weights, advanceDelta } = readVariations(tables, HEADING_WEIGHT);
  const unitsPerEm = table(tables, "head").getUint16(18);
  const hhea = table(tables, "hhea");
  const glyphOf = readCharacters(table(tables, "cmap"));
  const advanceOf = readAdvances(tables, hhea.getUint16(34));
  const advance = meanWidth((letter) => {
    const glyph = glyphOf(letter.charCodeAt(0));
    if (glyph === 0) throw new FontError(`lacks the letter ${JSON.stringify(letter)}`);
    return (advanceOf(glyph) + advanceDelta(glyph)) / unitsPerEm;
  });
  const [ascent = 0, below = 0, lineGap = 0] = [4, 6, 8].map((at) =>
    hhea.getInt16(at) / unitsPerEm
  );
  const isPlausible = advance > 0.1 && advance < 3 && ascent > 0.1 && ascent < 5 && below <= 0 &&
    below > -5 && lineGap >= 0 && lineGap < 5;
  if (!isPlausible) throw new FontError("has impossible measures");
  return {
    minWeight: weights.min,
    maxWeight: weights.max,
    // Half of the line gap is above a line and half below it, as in browsers.
    ascent: ascent + lineGap / 2,
    descent: lineGap / 2 - below,
    fallbackScale: advance / meanWidth((letter) => (FALLBACK_WIDTHS[letter] ?? 0) / 1000),
  };
}

/** The mean width of letters, weighted by their frequency in English. */
function meanWidth(widthOf: (letter: string) => number): number {
  let [sum, count] = [0, 0];
  for (const [letter, frequency] of Object.entries(FREQUENCIES)) {
    sum += frequency * widthOf(letter);
    count += frequency;
  }
  return sum / count;
}

/** @throws {FontError} if the table is missing. */
function table(tables: Tables, tag: string): DataView {
  const found = tables.get(tag);
  if (found === undefined) throw new FontError(`lacks the table ${tag}`);
  return found;
}

/** The number of the glyph of a character of the basic plane, 0 if there is none (cmap, formats 4 and 12). */
export function readCharacters(cmap: DataView): (code: number) => number {
  for (let at = 4; at < 4 + 8 * cmap.getUint16(2); at += 8) {
    const offset = cmap.getUint32(at + 4);
    const format = cmap.getUint16(offset);
    if (format === 4) return (code) => glyphInSegments(cmap, offset, code);
    if (format === 12) return (code) => glyphInGroups(cmap, offset, code);
  }
  throw new FontError("has no readable table of characters");
}

function glyphInSegments(cmap: DataView, offset: number, code: number): number {
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

function glyphInGroups(cmap: DataView, offset: number, code: number): number {
  const end = offset + 16 + 12 * cmap.getUint32(offset + 12);
  for (let at = offset + 16; at < end; at += 12) {
    if (cmap.getUint32(at + 4) < code) continue;
    const start = cmap.getUint32(at);
    return start > code ? 0 : cmap.getUint32(at + 8) + code - start;
  }
  return 0;
}

/** The advances of glyphs in the font's usual weight. */
export function readAdvances(tables: Tables, count: number): (glyph: number) => number {
  const packed = tables.get("hmtx transformed");
  // Packed, all advances follow a byte of flags; else a bearing follows each (WOFF 2.0, section 5.4).
  const [view, first, step] = packed === undefined
    ? [table(tables, "hmtx"), 0, 4] as const
    : [packed, 1, 2] as const;
  return (glyph) => view.getUint16(first + step * Math.min(glyph, count - 1));
}
