/**
 * The process that reads pictures (`picture_process.ts` starts it): jobs arrive on its standard input, reports
 * leave on its standard output. It may read Skia and the fonts, and has no network, environment or other files.
 */

import loadSkia from "canvaskit-wasm/full";
import type { CanvasKit } from "canvaskit-wasm";
import { imageKind } from "./image_kind.ts";
import {
  encodeMessage,
  type FileName,
  type Job,
  type Message,
  readMessages,
  type Report,
  type Sizing,
} from "./messages.ts";
import { paintIcon } from "./icon.ts";
import { loadFace, paintPicture } from "./painter.ts";
import { isMovingPng, withoutTexts } from "./png.ts";

/**
 * The limit of Skia's memory, which starts with half of it. A small file can make Skia's reader ask for a gigabyte
 * (WebP's code tables).
 */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;
/** An image with this many pixels takes 64 MB decoded, and is decoded twice, one after the other. */
const MAX_PIXELS = 16_000_000;

// deno-lint-ignore no-console -- Skia's complaints would mix with the reports
console.log = console.error;
// A supervisor or terminal signals the whole process group; the service ends this process itself.
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => {});

let wasRefused = false;
let hasGrown = false;
const { grow } = WebAssembly.Memory.prototype;
/** Skia treats the refusal as a lack of memory. */
WebAssembly.Memory.prototype.grow = function growWithin(pages) {
  if (this.buffer.byteLength + 65_536 * pages > MAX_MEMORY_BYTES) {
    wasRefused = true;
    throw new RangeError("the memory limit for pictures is reached");
  }
  hasGrown = true;
  return grow.call(this, pages);
};

const skia: CanvasKit = await loadSkia.default();
/** The face of the last picture, by the version of the site's own font; previews of many hosts have the same. */
let loaded: {
  readonly version: string | undefined;
  readonly face: ReturnType<typeof loadFace>;
} | null = null;

report({ kind: "ready" });
for await (const message of readMessages<Job>(Deno.stdin.readable)) {
  wasRefused = false;
  report({ kind: "reading", file: null });
  try {
    const picture = await make(message);
    assertMemorySufficed();
    report({ kind: "done", isOvergrown: hasGrown }, picture === null ? [] : [picture]);
  } catch (error) {
    report({ kind: "failed", reason: String(error) });
  }
}

/** @throws {Error} if memory was refused since the job began, even if Skia managed with less. */
function assertMemorySufficed(): void {
  if (wasRefused) throw new Error(`it takes more than ${MAX_MEMORY_BYTES} bytes of memory`);
}

async function make({ value: job, files }: Message<Job>): Promise<Uint8Array | null> {
  const begin = (file: number | null) => {
    // Without this check, the next file would be blamed for the previous one.
    assertMemorySufficed();
    report({ kind: "reading", file });
  };
  const read = (index: number) => {
    begin(index);
    return files[index] ?? null;
  };
  if (job.kind === "resize") {
    const image = read(0);
    return image && resizeImage(image, job);
  }
  const open = (name: FileName) => {
    const file = job.files[name];
    return file === undefined ? null : read(file.index);
  };
  // The font's file is read by Skia again and again, while words are set.
  const font = open("font");
  const version = job.files.font?.version;
  if (loaded === null || loaded.version !== version) {
    loaded = { version, face: loadFace(skia, font) };
  }
  const face = await loaded.face;
  // The picture itself is to blame if there is no memory for its file.
  const whenDrawn = () => begin(null);
  return job.kind === "card"
    ? paintPicture(face, job.facts, open, whenDrawn)
    : paintIcon(face, job.facts, () => open("logo"), whenDrawn);
}

/** The image as a WebP file; null if it cannot be read, is too large or is animated. */
function resizeImage(file: Uint8Array, { width, quality }: Sizing): Uint8Array | null {
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
  // The animation holds a whole decoded frame.
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
  // Only this frees its pixels.
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

/** Writes synchronously, since nothing else runs while Skia does. */
function report(value: Report, files: readonly Uint8Array[] = []): void {
  for (const part of encodeMessage(value, files)) {
    for (let at = 0; at < part.length;) at += Deno.stdout.writeSync(part.subarray(at));
  }
}
