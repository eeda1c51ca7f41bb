/** The tools of painting; in the picture process only. */

import type { Canvas, CanvasKit, Image, Paint } from "canvaskit-wasm";
import { imageKind } from "./image_kind.ts";
import { withoutTexts } from "./png.ts";

/** A picture in progress. */
export interface Easel {
  readonly skia: CanvasKit;
  readonly canvas: Canvas;
  /** Deletes an object, which is not garbage-collected, when the picture is done or has failed. */
  readonly own: <T extends { delete(): void }>(made: T) => T;
}

/** A larger image is omitted: WebAssembly never frees memory, and one of this size takes 43 MB. */
const MAX_IMAGE_PIXELS = 8_000_000;

/**
 * A picture as a PNG file. `whenDrawn` is called once its images have been read, before the file is encoded. All of
 * Skia's objects for it are deleted afterwards.
 */
export function paintFile(
  skia: CanvasKit,
  { width, height }: { readonly width: number; readonly height: number },
  draw: (easel: Easel) => void,
  whenDrawn = () => {},
): Uint8Array {
  using made = new DisposableStack();
  const own: Easel["own"] = (object) => made.adopt(object, (each) => each.delete());
  const surface = must(skia.MakeSurface(width, height));
  // Only this frees its pixels.
  made.defer(() => surface.dispose());
  draw({ skia, canvas: surface.getCanvas(), own });
  whenDrawn();
  return must(own(surface.makeImageSnapshot()).encodeToBytes());
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
export function readImage({ skia, own }: Easel, file: Uint8Array | null): Image | null {
  const kind = file === null ? null : imageKind(file);
  if (file === null || kind === null || kind.width * kind.height > MAX_IMAGE_PIXELS) return null;
  // A still image has one frame here; Skia's function for still images accepts truncated files.
  const picture = kind.type === "image/png" ? withoutTexts(file) : file;
  const frames = skia.MakeAnimatedImageFromEncoded(picture);
  const frame = frames && own(frames).makeImageAtCurrentFrame();
  return frame && own(must(own(frame).makeCopyWithDefaultMipmaps()));
}

/** A paint of a colour, `#rrggbb`. */
export function colored({ skia, own }: Easel, color: string): Paint {
  const paint = own(new skia.Paint());
  paint.setColor(skia.parseColorString(color));
  paint.setAntiAlias(true);
  return paint;
}

/** The object that Skia returns, unless it has no memory left. */
export function must<T>(made: T | null): T {
  if (made === null) throw new Error("Skia has no memory left");
  return made;
}
