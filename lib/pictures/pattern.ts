/** The patterns of events without a background of their own, as the style sheet has them (`.pattern-0` and so on). */

import type { Canvas, CanvasKit, Paint } from "canvaskit-wasm";
import { PATTERN_MEASURES } from "../site/browser.ts";
import type { PATTERNS } from "../site/mod.ts";

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

/** The upper left corners of the tiles that cover an extent. */
function* tiles({ width, height }: Extent, tile: Extent): Generator<[x: number, y: number]> {
  for (let y = 0; y < height; y += tile.height) {
    for (let x = 0; x < width; x += tile.width) yield [x, y];
  }
}

const rings: Pattern = (skia, canvas, paint, { width, height }) => {
  const { x, y, width: stroke, step } = PATTERN_MEASURES.rings;
  paint.setStyle(skia.PaintStyle.Stroke);
  paint.setStrokeWidth(stroke);
  for (let radius = stroke / 2; radius < width + height; radius += step) {
    canvas.drawCircle(x * width, y * height, radius, paint);
  }
};

const stripes: Pattern = (skia, canvas, paint, { width, height }) => {
  const { angle, width: stripe, step } = PATTERN_MEASURES.stripes;
  const reach = width + height;
  canvas.save();
  canvas.translate(width, height);
  canvas.rotate(90 + angle, 0, 0);
  for (let x = -reach; x < reach; x += step) {
    canvas.drawRect(skia.XYWHRect(x, -reach, stripe, 2 * reach), paint);
  }
  canvas.restore();
};

const dots: Pattern = (_skia, canvas, paint, extent) => {
  const { tile, radius } = PATTERN_MEASURES.dots;
  for (const [x, y] of tiles(extent, tile)) {
    canvas.drawCircle(x + tile.width / 2, y + tile.height / 2, radius, paint);
  }
};

const scales: Pattern = (skia, canvas, paint, extent) => {
  const { tile, radius } = PATTERN_MEASURES.scales;
  for (const [x, y] of tiles(extent, tile)) {
    // The rows start at the lower edge.
    const oval = around(skia, x + tile.width / 2, extent.height - y, radius);
    canvas.drawArc(oval, 180, 180, true, paint);
  }
};

const rays: Pattern = (skia, canvas, paint, { width, height }) => {
  const { x, y, from, width: ray, step } = PATTERN_MEASURES.rays;
  const oval = around(skia, x * width, y * height, width + height);
  const end = from + 360;
  for (let angle = from; angle < end; angle += step) {
    // CSS measures angles from the top, Skia from the right. The last ray ends where the first begins.
    canvas.drawArc(oval, angle - 90, Math.min(ray, end - angle), true, paint);
  }
};

const checks: Pattern = (skia, canvas, paint, extent) => {
  const { tile } = PATTERN_MEASURES.checks;
  const [width, height] = [tile.width / 2, tile.height / 2];
  for (const [x, y] of tiles(extent, tile)) {
    canvas.drawRect(skia.XYWHRect(x, y, width, height), paint);
    canvas.drawRect(skia.XYWHRect(x + width, y + height, width, height), paint);
  }
};

const DRAWINGS: readonly Pattern[] & { readonly length: typeof PATTERNS } = [
  rings,
  stripes,
  dots,
  scales,
  rays,
  checks,
];

/** Draws a pattern in the colour of a paint. */
export function drawPattern(
  skia: CanvasKit,
  canvas: Canvas,
  paint: Paint,
  pattern: number,
  extent: Extent,
): void {
  DRAWINGS[pattern]?.(skia, canvas, paint, extent);
}
