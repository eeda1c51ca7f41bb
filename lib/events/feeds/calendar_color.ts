/** The nearest CSS colour name to a colour: COLOR in calendars must be a name (RFC 7986, section 5.9). */

import { type Color, NAMED_COLORS, parseColor, toOklch } from "../theme/color.ts";

type Point = readonly [lightness: number, a: number, b: number];

/** The first of two names of one colour counts. */
const named = [...NAMED_COLORS.keys()].flatMap((name): [string, Point][] => {
  const point = pointOf(name);
  return point === null ? [] : [[name, point]];
});
/** The names that were looked up: events share few accents. */
const known = new Map<string, string | null>();
const MAX_KNOWN = 500;

/** The name of the most similar colour; null if the text is no CSS colour. */
export function nearestColorName(text: string): string | null {
  const before = known.get(text);
  if (before !== undefined) return before;
  const point = pointOf(text);
  const name = point === null ? null : nearest(point);
  if (known.size < MAX_KNOWN) known.set(text, name);
  return name;
}

function nearest(point: Point): string | null {
  let best: string | null = null;
  let least = Infinity;
  for (const [name, other] of named) {
    const distance = Math.hypot(point[0] - other[0], point[1] - other[1], point[2] - other[2]);
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}

/** A colour in OKLab, where distances match perception. */
function pointOf(text: string): Point | null {
  const paint = parseColor(text);
  if (paint === null || paint.alpha === 0) return null;
  return labOf(paint.color);
}

function labOf(color: Color): Point {
  const { lightness, chroma, hue } = toOklch(color);
  const angle = hue * Math.PI / 180;
  return [lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)];
}
