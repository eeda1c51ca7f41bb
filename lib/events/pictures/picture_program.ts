/**
 * The program of a picture (`picture_process.ts` starts it): makes the picture of its argument and its standard input,
 * writes it to its standard output, and ends. Without a picture it writes nothing; it ends with an error if it needed
 * more than its memory. It may read Skia and the fonts, and has no network, environment or other files.
 */

import loadSkia from "canvaskit-wasm/full";
import type { FileName, JobArgument } from "./job.ts";
import { loadFace, paintPicture } from "./painter.ts";
import { resizeImage } from "./resize.ts";

/**
 * The limit of Skia's memory, which starts with half of it. A small file can make Skia's reader ask for a gigabyte
 * (WebP's code tables).
 */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;

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
const files = new Map<FileName, Uint8Array<ArrayBuffer>>();
let at = 0;
for (const [name, length] of lengths) files.set(name, input.slice(at, at += length));
const open = (name: FileName) => files.get(name) ?? null;

const skia = await loadSkia.default();
const picture = facts.kind === "card"
  ? paintPicture(await loadFace(skia, open("font")), facts, open)
  : resizeImage(skia, open("image") ?? new Uint8Array(), facts);
if (picture !== null) await new Blob([picture.slice()]).stream().pipeTo(Deno.stdout.writable);
