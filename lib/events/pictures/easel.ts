/** The tools of drawing; in the picture process only. */

import type { Canvas, CanvasKit, Image, Paint, Surface } from "canvaskit-wasm";
import { imageKind } from "./image_kind.ts";

/** A picture in progress. */
export interface Easel {
  readonly skia: CanvasKit;
  readonly canvas: Canvas;
}

/** A larger image is omitted: one of this size takes 43 MB. */
const MAX_IMAGE_PIXELS = 8_000_000;

/** An empty picture of some size. */
export function createSurface(
  skia: CanvasKit,
  { width, height }: { readonly width: number; readonly height: number },
): Surface {
  return must(skia.MakeSurface(width, height));
}

/** Draws an image with its upper left corner at a point. */
export function drawImage(
  { skia, canvas }: Easel,
  image: Image,
  x: number,
  y: number,
  scale: number,
): void {
  const [width, height] = [image.width(), image.height()];
  const source = skia.XYWHRect(0, 0, width, height);
  const target = skia.XYWHRect(x, y, scale * width, scale * height);
  const { Linear } = skia.FilterMode;
  // Interpolating between mipmap levels would take three times as long.
  const { Nearest } = skia.MipmapMode;
  canvas.drawImageRectOptions(image, source, target, Linear, Nearest, null);
}

/** An image, decoded now, so that damage is noticed; null if Skia cannot read all of it. */
export function readImage({ skia }: Easel, file: Uint8Array | null): Image | null {
  const kind = file === null ? null : imageKind(file);
  if (file === null || kind === null || kind.width * kind.height > MAX_IMAGE_PIXELS) return null;
  // A still image has one frame here; Skia's function for still images accepts truncated files.
  const frame = skia.MakeAnimatedImageFromEncoded(file)?.makeImageAtCurrentFrame();
  return frame ? must(frame.makeCopyWithDefaultMipmaps()) : null;
}

/** A paint of a colour, `#rrggbb`. */
export function colored({ skia }: Easel, color: string): Paint {
  const paint = new skia.Paint();
  paint.setColor(skia.parseColorString(color));
  paint.setAntiAlias(true);
  return paint;
}

/** The object that Skia returns, unless it has no memory left. */
export function must<T>(made: T | null): T {
  if (made === null) throw new Error("Skia has no memory left");
  return made;
}
