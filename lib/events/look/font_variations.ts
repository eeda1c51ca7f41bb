/** The effect of a variable font's weight on the advances of its glyphs (OpenType 1.9: fvar, avar, HVAR). */

import { clamp } from "../theme/color.ts";
import { FontError, type Tables } from "./woff2.ts";

/** A font in one weight. */
interface Variations {
  readonly weights: { readonly min: number; readonly max: number };
  /** The difference to the usual advance of a glyph, in the font's units; 0 if the font states none. */
  readonly advanceDelta: (glyph: number) => number;
}

const WEIGHT_AXIS = 0x77676874;

/** @throws {FontError} if the font does not vary in weight. */
export function readVariations(tables: Tables, weight: number): Variations {
  const fvar = tables.get("fvar");
  if (fvar === undefined) throw new FontError("is not variable");
  const [first, count, size] = [fvar.getUint16(4), fvar.getUint16(8), fvar.getUint16(10)];
  const axes = Array.from({ length: count }, (_, index) => first + size * index);
  const axis = axes.findIndex((at) => fvar.getUint32(at) === WEIGHT_AXIS);
  const at = axes[axis];
  if (at === undefined) throw new FontError("does not vary in weight (it has no axis wght)");
  const [min = 0, usual = 0, max = 0] = [4, 8, 12].map((offset) =>
    fvar.getInt32(at + offset) / 65_536
  );
  const isPlausible = min >= 1 && min <= usual && usual <= max && max <= 1000 && min < max;
  if (!isPlausible) throw new FontError("has impossible weights");
  const asked = clamp(weight, min, max);
  const side = asked < usual ? usual - min : max - usual;
  const share = side === 0 ? 0 : (asked - usual) / side;
  const position = bend(tables.get("avar"), axis, share);
  const hvar = tables.get("HVAR");
  return {
    weights: { min, max },
    advanceDelta: hvar === undefined
      ? () => 0
      : readDeltas(hvar, axes.map((_, index) => index === axis ? position : 0)),
  };
}

/** A position on an axis after the font's own mapping (avar). */
function bend(avar: DataView | undefined, axis: number, position: number): number {
  if (avar === undefined) return position;
  let at = 8;
  for (let index = 0; index < axis; index++) at += 2 + 4 * avar.getUint16(at);
  const pairs = Array.from({ length: avar.getUint16(at) }, (_, index) => ({
    from: fraction(avar, at + 2 + 4 * index),
    to: fraction(avar, at + 4 + 4 * index),
  }));
  for (const [index, { from, to }] of pairs.entries()) {
    const next = pairs[index + 1];
    if (next === undefined || position < from || position > next.from) continue;
    if (next.from === from) return to;
    return to + (next.to - to) * (position - from) / (next.from - from);
  }
  return position;
}

/** The differences of advances at a position in the space of all axes. */
function readDeltas(hvar: DataView, position: readonly number[]): (glyph: number) => number {
  const store = hvar.getUint32(4);
  const mapping = hvar.getUint32(8);
  const scalars = readScalars(hvar, store + hvar.getUint32(store + 2), position);
  return function advanceDelta(glyph) {
    const [outer, inner] = mapping === 0 ? [0, glyph] : mapped(hvar, mapping, glyph);
    if (outer >= hvar.getUint16(store + 6)) return 0;
    const data = store + hvar.getUint32(store + 8 + 4 * outer);
    if (inner >= hvar.getUint16(data)) return 0;
    const flags = hvar.getUint16(data + 2);
    const [isLong, words] = [(flags & 0x8000) !== 0, flags & 0x7fff];
    const regions = hvar.getUint16(data + 4);
    const [wide, narrow] = isLong ? [4, 2] : [2, 1];
    let at = data + 6 + 2 * regions + inner * (words * wide + (regions - words) * narrow);
    let sum = 0;
    for (let index = 0; index < regions; index++) {
      const size = index < words ? wide : narrow;
      const delta = size === 4
        ? hvar.getInt32(at)
        : size === 2
        ? hvar.getInt16(at)
        : hvar.getInt8(at);
      at += size;
      sum += delta * (scalars[hvar.getUint16(data + 6 + 2 * index)] ?? 0);
    }
    return sum;
  };
}

/** The scalar of each region: how much its differences count at a position. */
function readScalars(hvar: DataView, regions: number, position: readonly number[]): number[] {
  const axes = hvar.getUint16(regions);
  return Array.from({ length: hvar.getUint16(regions + 2) }, (_, region) => {
    let scalar = 1;
    for (let axis = 0; axis < axes; axis++) {
      const at = regions + 4 + 6 * (axes * region + axis);
      const [start, peak, end] = [
        fraction(hvar, at),
        fraction(hvar, at + 2),
        fraction(hvar, at + 4),
      ];
      const value = position[axis] ?? 0;
      if (peak === 0 || value === peak) continue;
      if (value <= start || value >= end) return 0;
      scalar *= value < peak ? (value - start) / (peak - start) : (end - value) / (end - peak);
    }
    return scalar;
  });
}

/** The place of a glyph's differences (DeltaSetIndexMap). */
function mapped(hvar: DataView, mapping: number, glyph: number): [outer: number, inner: number] {
  const isLong = hvar.getUint8(mapping) === 1;
  const format = hvar.getUint8(mapping + 1);
  const count = isLong ? hvar.getUint32(mapping + 2) : hvar.getUint16(mapping + 2);
  const size = ((format & 0x30) >> 4) + 1;
  const innerBits = (format & 0x0f) + 1;
  const at = mapping + (isLong ? 6 : 4) + size * Math.min(glyph, count - 1);
  let entry = 0;
  for (let byte = 0; byte < size; byte++) entry = entry * 256 + hvar.getUint8(at + byte);
  return [Math.floor(entry / 2 ** innerBits), entry % 2 ** innerBits];
}

/** A number from -2 to 2 (F2DOT14). */
function fraction(view: DataView, at: number): number {
  return view.getInt16(at) / 16_384;
}
