/** Makes an image smaller: Skia's part of it, which runs where `pictures_process.ts` does and nowhere else. */

import type { CanvasKit } from "canvaskit-wasm";
import { isMovingPng, withoutTexts } from "./png_chunks.ts";
import { imageKind } from "./image_type.ts";
import type { Sizing } from "./messages.ts";

/** Decoded, a picture of so many pixels takes 64 MB; it is decoded twice, one after the other. */
const MAX_PIXELS = 16_000_000;

/** The image as a WebP file; null if it cannot be read, is too large or moves. */
export function resizeImage(
  skia: CanvasKit,
  file: Uint8Array,
  { width, quality }: Sizing,
): Uint8Array | null {
  using made = new DisposableStack();
  const own = <T extends { delete(): void }>(object: T) =>
    made.adopt(object, (each) => each.delete());
  const kind = imageKind(file);
  if (kind === null || kind.width * kind.height > MAX_PIXELS) return null;
  const isPng = kind.type === "image/png";
  if (isPng && isMovingPng(file)) return null;
  const bytes = isPng ? withoutTexts(file) : file;
  const animation = skia.MakeAnimatedImageFromEncoded(bytes);
  if (animation === null) return null;
  const frames = animation.getFrameCount();
  // It holds a whole frame.
  animation.delete();
  if (frames > 1) return null;
  const encoded = skia.MakeImageFromEncoded(bytes);
  if (encoded === null) return null;
  const image = own(encoded);
  const [fullWidth, fullHeight] = [image.width(), image.height()];
  const scale = Math.min(1, width / fullWidth);
  const size = [
    Math.round(fullWidth * scale),
    Math.max(1, Math.round(fullHeight * scale)),
  ] as const;
  const surface = skia.MakeSurface(...size);
  if (surface === null) return null;
  // Its pixels are freed by this alone.
  made.defer(() => surface.dispose());
  const canvas = surface.getCanvas();
  canvas.clear(skia.TRANSPARENT);
  canvas.drawImageRectOptions(
    image,
    skia.XYWHRect(0, 0, fullWidth, fullHeight),
    skia.XYWHRect(0, 0, ...size),
    skia.FilterMode.Linear,
    skia.MipmapMode.Linear,
  );
  return own(surface.makeImageSnapshot()).encodeToBytes(skia.ImageFormat.WEBP, quality);
}
