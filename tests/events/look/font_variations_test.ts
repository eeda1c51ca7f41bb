/** The advances of a font's glyphs in a weight, from tables that are written here by the OpenType specification. */

import assert from "node:assert/strict";
import { FontError } from "../../../lib/events/look/woff2.ts";
import { readVariations } from "../../../lib/events/look/font_variations.ts";

const WEIGHT = 0x77676874;
const SIZE = 0x6f70737a;

/** Numbers, each in so many bits, as a table. */
function table(...numbers: readonly (readonly [bits: 8 | 16 | 32, value: number])[]): DataView {
  const view = new DataView(new ArrayBuffer(numbers.reduce((sum, [bits]) => sum + bits / 8, 0)));
  let at = 0;
  for (const [bits, value] of numbers) {
    if (bits === 8) view.setInt8(at, value);
    else if (bits === 16) view.setInt16(at, value);
    else view.setInt32(at, value);
    at += bits / 8;
  }
  return view;
}

const words = (...values: readonly number[]) => values.map((value) => [16, value] as const);
const fractions = (...values: readonly number[]) => words(...values.map((each) => each * 16_384));
const axis = (tag: number, min: number, usual: number, max: number) => [
  [32, tag] as const,
  ...[min, usual, max].map((value) => [32, value * 65_536] as const),
  ...words(0, 0),
];

/** Two axes: optical sizes, then weights from 100 to 900, usually 400. */
const fvar = table(
  ...words(1, 0, 16, 2, 2, 20, 0, 0),
  ...axis(SIZE, 9, 12, 72),
  ...axis(WEIGHT, 100, 400, 900),
);
/** Sizes are as they are; half-way to the largest weight counts as a quarter. */
const avar = table(
  ...words(1, 0, 0, 2),
  ...words(3),
  ...fractions(-1, -1, 0, 0, 1, 1),
  ...words(4),
  ...fractions(-1, -1, 0, 0, 0.5, 0.25, 1, 1),
);

/** Two regions of weights, and two glyphs with a difference for each; `mapping` follows them. */
function createHvar(...mapping: readonly number[]): DataView {
  const store = [
    ...words(1),
    [32, 12] as const,
    ...words(1),
    [32, 40] as const,
    ...words(2, 2),
    ...fractions(0, 0, 0, 0.1875, 1, 1),
    ...fractions(0, 0, 0, 0, 0.25, 1),
    ...words(2, 1, 2, 0, 1),
    ...[[16, 1000], [8, 10], [16, -500], [8, -100]] as const,
  ];
  const length = store.reduce((sum, [bits]) => sum + bits / 8, 0);
  return table(
    ...words(1, 0),
    ...[20, mapping.length === 0 ? 0 : 20 + length, 0, 0].map((value) => [32, value] as const),
    ...store,
    ...mapping.map((value) => [8, value] as const),
  );
}

function deltasOf(hvar: DataView, weight: number, glyphs: readonly number[]): readonly number[] {
  const tables = new Map([["fvar", fvar], ["avar", avar], ["HVAR", hvar]]);
  const { advanceDelta } = readVariations(tables, weight);
  return glyphs.map((glyph) => Math.round(advanceDelta(glyph) * 10) / 10);
}

Deno.test("a weight is bent by the font's map, and its regions add up for each glyph", () => {
  const hvar = createHvar();
  // 700 is 0.6 of the way, which counts as 0.4: of the regions 0.2615 and 0.8.
  assert.deepEqual(deltasOf(hvar, 700, [0, 1, 2]), [269.5, -210.8, 0]);
  // 525 is a quarter of the way, which counts as 0.125: before the first region, half of the second.
  assert.deepEqual(deltasOf(hvar, 525, [0, 1]), [5, -50]);
  // 650 counts as 0.25, the peak of the second region.
  assert.deepEqual(deltasOf(hvar, 650, [0, 1]), [86.9, -138.5]);
  assert.deepEqual(deltasOf(hvar, 900, [0, 1]), [1000, -500]);
  assert.deepEqual(deltasOf(hvar, 2000, [0]), [1000], "the largest weight that there is");
  assert.deepEqual(deltasOf(hvar, 400, [0, 1]), [0, 0]);
  assert.deepEqual(deltasOf(hvar, 100, [0, 1]), [0, 0]);
});

Deno.test("glyphs share differences by a map, whose last entry counts for all later glyphs", () => {
  // One byte for each entry, one bit of it for the glyph.
  assert.deepEqual(deltasOf(createHvar(0, 0, 0, 2, 1, 0), 700, [0, 1, 9]), [-210.8, 269.5, 269.5]);
});

Deno.test("without a table of advances a weight changes none", () => {
  const { weights, advanceDelta } = readVariations(new Map([["fvar", fvar]]), 700);
  assert.deepEqual(weights, { min: 100, max: 900 });
  assert.equal(advanceDelta(0), 0);
});

Deno.test("a font that does not vary in weight, or by impossible weights, is refused", () => {
  const of = (...axes: readonly (readonly [8 | 16 | 32, number])[]) =>
    new Map([["fvar", table(...words(1, 0, 16, 2, 1, 20, 0, 0), ...axes)]]);
  const refuse = (tables: ReadonlyMap<string, DataView>, reason: RegExp) =>
    assert.throws(() => readVariations(tables, 700), (error) => {
      assert.ok(error instanceof FontError);
      assert.match(error.message, reason);
      return true;
    });
  refuse(new Map(), /not variable/);
  refuse(of(...axis(SIZE, 9, 12, 72)), /no axis wght/);
  assert.deepEqual(readVariations(of(...axis(WEIGHT, 1, 400, 1000)), 700).weights, {
    min: 1,
    max: 1000,
  });
  for (const weights of [[0, 0, 900], [400, 300, 900], [400, 950, 900], [1, 1, 1001], [4, 4, 4]]) {
    const [min = 0, usual = 0, max = 0] = weights;
    refuse(of(...axis(WEIGHT, min, usual, max)), /impossible weights/);
  }
});
