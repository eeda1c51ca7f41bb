/**
 * What runs in the resizer's worker: a picture in, a smaller one as WebP out. It draws with Skia, whose
 * WebAssembly is loaded for the first picture and gone with the worker.
 */

import loadSkia from "canvaskit-wasm/full";
import type { CanvasKit } from "canvaskit-wasm";
import { imageKind } from "./images_type.ts";

/** A picture and what is to become of it. */
export interface ResizeRequest {
  readonly bytes: Uint8Array;
  /** In pixels; a narrower picture stays as wide as it is. */
  readonly width: number;
  /** Of WebP: 0 to 100, where 100 loses nothing. */
  readonly quality: number;
}

/** Decoded, a picture of so many pixels takes 64 MB; it is decoded twice, one after the other. */
const MAX_PIXELS = 16_000_000;
/** The types of two chunks of PNG. */
const [ANIMATION_CONTROL, IMAGE_DATA] = [0x6163544c, 0x49444154];

let skia: Promise<CanvasKit> | null = null;

self.addEventListener("message", async ({ data }: MessageEvent<ResizeRequest>) => {
  skia ??= loadSkia.default();
  self.postMessage(resize(await skia, data));
});

/** Null if it cannot be read, is too large or moves. */
function resize(skia: CanvasKit, { bytes, width, quality }: ResizeRequest): Uint8Array | null {
  using made = new DisposableStack();
  const own = <T extends { delete(): void }>(object: T) =>
    made.adopt(object, (each) => each.delete());
  const kind = imageKind(bytes);
  if (kind === null || kind.width * kind.height > MAX_PIXELS) return null;
  if (kind.type === "image/png" && isMovingPng(bytes)) return null;
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

/** Whether a chunk before the pixels says that more frames follow; Skia counts one (W3C PNG, acTL). */
function isMovingPng(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 8;
  while (at + 8 <= bytes.length) {
    const type = view.getUint32(at + 4);
    if (type === ANIMATION_CONTROL) return true;
    if (type === IMAGE_DATA) return false;
    at += 12 + view.getUint32(at);
  }
  return false;
}
