/** Makes an image smaller; in the picture process only. */

import type { CanvasKit } from "canvaskit-wasm";
import { imageKind } from "./image_kind.ts";
import type { Sizing } from "./job.ts";
import { createSurface } from "./painter.ts";

/** An image with this many pixels takes 64 MB decoded, and is decoded twice, one after the other. */
const MAX_PIXELS = 16_000_000;

/** The image as a WebP file; null if it cannot be read, is too large or is animated. */
export function resizeImage(
  skia: CanvasKit,
  file: Uint8Array,
  { width, quality }: Sizing,
): Uint8Array | null {
  const kind = imageKind(file);
  if (kind === null || kind.width * kind.height > MAX_PIXELS) return null;
  // Skia reads an animated PNG as one frame; a chunk before the pixels announces the others (W3C PNG, acTL).
  const chunks = kind.type === "image/png" ? new TextDecoder("latin1").decode(file) : "";
  if (/acTL|IDAT/.exec(chunks)?.[0] === "acTL") return null;
  const animation = skia.MakeAnimatedImageFromEncoded(file);
  if (animation === null) return null;
  const frames = animation.getFrameCount();
  // It holds a whole decoded frame.
  animation.delete();
  const image = frames > 1 ? null : skia.MakeImageFromEncoded(file);
  if (image === null) return null;
  const [fullWidth, fullHeight] = [image.width(), image.height()];
  const scale = Math.min(1, width / fullWidth);
  const size = {
    width: Math.round(fullWidth * scale),
    height: Math.max(1, Math.round(fullHeight * scale)),
  };
  const surface = createSurface(skia, size);
  const canvas = surface.getCanvas();
  canvas.clear(skia.TRANSPARENT);
  canvas.drawImageRectOptions(
    image,
    skia.XYWHRect(0, 0, fullWidth, fullHeight),
    skia.XYWHRect(0, 0, size.width, size.height),
    skia.FilterMode.Linear,
    skia.MipmapMode.Linear,
  );
  return surface.makeImageSnapshot().encodeToBytes(skia.ImageFormat.WEBP, quality);
}
