/** The organisation's font for headings: a variable font in WOFF2, checked and measured. */

import { digestOf } from "../digest.ts";
import type { SiteFont } from "../site/mod.ts";
import { meanWidth, measureFont } from "./font_measures.ts";

/** The largest file: every visitor loads the font on the first page. */
export const MAX_FONT_BYTES = 200 * 1024;

/** The widths of Arial Bold, and of the fonts with the same measures, in thousandths of their size. */
const FALLBACK_WIDTHS: Readonly<Record<string, number>> = {
  ...{ " ": 278, a: 556, b: 611, c: 556, d: 611, e: 556, f: 333, g: 611, h: 611, i: 278, j: 278 },
  ...{ k: 556, l: 278, m: 889, n: 611, o: 611, p: 611, q: 611, r: 389, s: 556, t: 333, u: 611 },
  ...{ v: 556, w: 778, x: 556, y: 556, z: 500 },
};

/** @throws {FontError} with the reason if it cannot be used. */
export function readFont(file: Uint8Array<ArrayBuffer>): SiteFont {
  const { advance, lineGap, ascent, descent, minWeight, maxWeight } = measureFont(file);
  const fallbackAdvance = meanWidth((letter) => FALLBACK_WIDTHS[letter] ?? 0) / 1000;
  return {
    bytes: file,
    version: digestOf(file).slice(0, 7),
    ...{ minWeight, maxWeight },
    // Half of the line gap is above a line and half below it, as in browsers.
    ascent: ascent + lineGap / 2,
    descent: descent + lineGap / 2,
    fallbackScale: advance / fallbackAdvance,
  };
}
