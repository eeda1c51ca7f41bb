/**
 * The patterns of events without a background of their own, as `styles/events.css` has them
 * (`.pattern-0` and so on) and in its measures. Text is checked against both of their colours.
 */

import type { Canvas, CanvasKit, Paint } from "canvaskit-wasm";
import type { PATTERNS } from "../site/mod.ts";

/** What a pattern fills; CSS pixels. */
interface Extent {
  readonly width: number;
  readonly height: number;
}

type Pattern = (skia: CanvasKit, canvas: Canvas, paint: Paint, extent: Extent) => void;

/** Of a circle or an arc, the square around it. */
function around(skia: CanvasKit, x: number, y: number, radius: number) {
  return skia.XYWHRect(x - radius, y - radius, 2 * radius, 2 * radius);
}

/** The left upper corners of tiles that cover an extent. */
function* tiles({ width, height }: Extent, tile: Extent): Generator<[x: number, y: number]> {
  for (let y = 0; y < height; y += tile.height) {
    for (let x = 0; x < width; x += tile.width) yield [x, y];
  }
}

const rings: Pattern = (skia, canvas, paint, { width, height }) => {
  paint.setStyle(skia.PaintStyle.Stroke);
  paint.setStrokeWidth(36);
  for (let radius = 18; radius < width + height; radius += 72) {
    canvas.drawCircle(0.88 * width, 0.12 * height, radius, paint);
  }
};

const stripes: Pattern = (skia, canvas, paint, { width, height }) => {
  const reach = width + height;
  canvas.save();
  canvas.translate(width, height);
  canvas.rotate(38, 0, 0);
  for (let x = -reach; x < reach; x += 68) {
    canvas.drawRect(skia.XYWHRect(x, -reach, 28, 2 * reach), paint);
  }
  canvas.restore();
};

const dots: Pattern = (_skia, canvas, paint, extent) => {
  for (const [x, y] of tiles(extent, { width: 44, height: 44 })) {
    canvas.drawCircle(x + 22, y + 22, 11.8, paint);
  }
};

const scales: Pattern = (skia, canvas, paint, extent) => {
  for (const [x, y] of tiles(extent, { width: 64, height: 48 })) {
    // The rows stand on the lower edge.
    canvas.drawArc(around(skia, x + 32, extent.height - y, 28.3), 180, 180, true, paint);
  }
};

const rays: Pattern = (skia, canvas, paint, { width, height }) => {
  const oval = around(skia, 0.78 * width, 0.26 * height, width + height);
  // CSS counts from above, Skia from the right; the last ray is cut where the round ends.
  for (let angle = 8; angle < 368; angle += 22) {
    canvas.drawArc(oval, angle - 90, Math.min(11, 368 - angle), true, paint);
  }
};

const checks: Pattern = (skia, canvas, paint, extent) => {
  for (const [x, y] of tiles(extent, { width: 88, height: 88 })) {
    canvas.drawRect(skia.XYWHRect(x, y, 44, 44), paint);
    canvas.drawRect(skia.XYWHRect(x + 44, y + 44, 44, 44), paint);
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
