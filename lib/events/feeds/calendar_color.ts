/** The nearest CSS colour name to a colour: COLOR in calendars must be a name (RFC 7986, section 5.9). */

import {
  colorsNamed,
  converter,
  differenceEuclidean,
  modeOklab,
  nearest,
  useMode as registerMode,
} from "culori/fn";
import { LRUCache } from "lru-cache";
import { parseColor, toHex } from "../theme/color.ts";

// Distances in OKLab match perception.
registerMode(modeOklab);
const nearestNames: (color: string) => readonly string[] = nearest(
  Object.keys(colorsNamed),
  differenceEuclidean("oklab"),
  converter("oklab"),
);

/** The names that were found, by text; "" for a text that is no colour. Events share few accents. */
const names = new LRUCache<string, string>({ max: 500, memoMethod: findName });

/** The name of the most similar colour; null if the text is no CSS colour. */
export function nearestColorName(text: string): string | null {
  return names.memo(text) || null;
}

function findName(text: string): string {
  const paint = parseColor(text);
  if (paint === null || paint.alpha === 0) return "";
  const [name = ""] = nearestNames(toHex(paint.color));
  return name;
}
