/**
 * The program of a picture (`picture_process.ts` starts it): makes the picture of its argument and its standard input,
 * writes it to its standard output, and ends. Without a picture it writes nothing; it ends with an error if it needed
 * more than its memory. It may read Skia and the fonts, and has no network, environment or other files.
 */

import type { CanvasKit } from "canvaskit-wasm";
import loadSkia from "canvaskit-wasm/full";
import { imageKind } from "../image_kind.ts";
import type { Job, JobArgument, Sizing } from "./job.ts";
import { loadFace, must, paintPicture } from "../painter.ts";

/**
 * The limit of Skia's memory, which starts with half of it. A small file can make Skia's reader ask for a gigabyte
 * (WebP's code tables).
 */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;
/** A larger image is not resized: one of this size takes 64 MB decoded, and is decoded twice, one after the other. */
const MAX_PIXELS = 16_000_000;

// deno-lint-ignore no-console -- Skia's complaints would mix with the picture
console.log = console.error;

const { grow } = WebAssembly.Memory.prototype;
/** Ends the process: Skia would treat a refusal as a lack of memory, and omit what it was about to draw. */
WebAssembly.Memory.prototype.grow = function growWithin(pages) {
  if (this.buffer.byteLength + 65_536 * pages > MAX_MEMORY_BYTES) Deno.exit(1);
  return grow.call(this, pages);
};

// The argument is the service's own.
const { facts, lengths } = JSON.parse(Deno.args[0] ?? "") as JobArgument;
const input = await new Response(Deno.stdin.readable).bytes();
let at = 0;
const files: Job["files"] = Object.fromEntries(
  lengths.map(([name, length]) => [name, input.slice(at, at += length)]),
);

const skia = await loadSkia.default();
const picture = facts.kind === "card"
  ? paintPicture(await loadFace(skia, files.font), facts, files)
  : resizeImage(skia, files.image ?? new Uint8Array(), facts);
if (picture !== null) await new Blob([picture.slice()]).stream().pipeTo(Deno.stdout.writable);

/** The image as a WebP file; null if it cannot be read, is too large or is animated. */
function resizeImage(
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
  const shown = {
    width: Math.round(fullWidth * scale),
    height: Math.max(1, Math.round(fullHeight * scale)),
  };
  const surface = must(skia.MakeSurface(shown.width, shown.height));
  const canvas = surface.getCanvas();
  canvas.clear(skia.TRANSPARENT);
  canvas.drawImageRectOptions(
    image,
    skia.XYWHRect(0, 0, fullWidth, fullHeight),
    skia.XYWHRect(0, 0, shown.width, shown.height),
    skia.FilterMode.Linear,
    skia.MipmapMode.Linear,
  );
  return surface.makeImageSnapshot().encodeToBytes(skia.ImageFormat.WEBP, quality);
}
