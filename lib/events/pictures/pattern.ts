/** The patterns of events without a background of their own, by the numbers of their cards. */

import type { Canvas, CanvasKit, Paint } from "canvaskit-wasm";
import { PATTERN_MEASURES } from "../theme/card_style.ts";
import type { PATTERNS } from "../theme/theme.ts";

/** The area that a pattern fills, in CSS pixels. */
interface Extent {
  readonly width: number;
  readonly height: number;
}

type Pattern = (skia: CanvasKit, canvas: Canvas, paint: Paint, extent: Extent) => void;

/** The square around a circle or an arc. */
function around(skia: CanvasKit, x: number, y: number, radius: number) {
  return skia.XYWHRect(x - radius, y - radius, 2 * radius, 2 * radius);
}

/** The left upper corners of tiles that cover an extent. */
function* tiles({ width, height }: Extent, tile: Extent): Generator<[x: number, y: number]> {
  for (let y = 0; y < height; y += tile.height) {
    for (let x = 0; x < width; x += tile.width) yield [x, y];
  }
}

const { rings, stripes, dots, scales, rays, checks } = PATTERN_MEASURES;

/** Each draws its pattern in the colour of a paint; a look has its number. */
export const DRAWINGS: readonly Pattern[] & { readonly length: typeof PATTERNS } = [
  function drawRings(skia, canvas, paint, { width, height }) {
    paint.setStyle(skia.PaintStyle.Stroke);
    paint.setStrokeWidth(rings.width);
    for (let radius = rings.width / 2; radius < width + height; radius += rings.step) {
      canvas.drawCircle(rings.x * width, rings.y * height, radius, paint);
    }
  },
  function drawStripes(skia, canvas, paint, { width, height }) {
    const reach = width + height;
    canvas.save();
    canvas.translate(width, height);
    // CSS turns the direction of the gradient, Skia the stripes across it.
    canvas.rotate(90 + stripes.angle, 0, 0);
    for (let x = -reach; x < reach; x += stripes.step) {
      canvas.drawRect(skia.XYWHRect(x, -reach, stripes.width, 2 * reach), paint);
    }
    canvas.restore();
  },
  function drawDots(_skia, canvas, paint, extent) {
    const { tile, radius } = dots;
    for (const [x, y] of tiles(extent, tile)) {
      canvas.drawCircle(x + tile.width / 2, y + tile.height / 2, radius, paint);
    }
  },
  function drawScales(skia, canvas, paint, extent) {
    const { tile, radius } = scales;
    for (const [x, y] of tiles(extent, tile)) {
      // The rows begin at the lower edge.
      const square = around(skia, x + tile.width / 2, extent.height - y, radius);
      canvas.drawArc(square, 180, 180, true, paint);
    }
  },
  function drawRays(skia, canvas, paint, { width, height }) {
    const { x, y, from, width: degrees, step } = rays;
    const oval = around(skia, x * width, y * height, width + height);
    // CSS measures angles from the top, Skia from the right. The last ray ends with the full circle.
    for (let angle = from; angle < from + 360; angle += step) {
      canvas.drawArc(oval, angle - 90, Math.min(degrees, from + 360 - angle), true, paint);
    }
  },
  function drawChecks(skia, canvas, paint, extent) {
    const { tile } = checks;
    const [width, height] = [tile.width / 2, tile.height / 2];
    for (const [x, y] of tiles(extent, tile)) {
      canvas.drawRect(skia.XYWHRect(x, y, width, height), paint);
      canvas.drawRect(skia.XYWHRect(x + width, y + height, width, height), paint);
    }
  },
];
