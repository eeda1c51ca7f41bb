/**
 * The process in which pictures are read: jobs come by its standard input, reports go to its standard output. It
 * may read Skia and the faces, and nothing else: no network, no environment, no other file.
 */

import loadSkia from "canvaskit-wasm/full";
import type { CanvasKit } from "canvaskit-wasm";
import { resizeImage } from "./resizer.ts";
import { encodeMessage, type Job, type Message, readMessages, type Report } from "./messages.ts";
import { createPainter, type Painter } from "./painter.ts";

/** Skia begins with half of it. A small file can make its reader ask for a gigabyte (WebP's tables of codes). */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;

// deno-lint-ignore no-console -- what Skia complains of would stand between the reports
console.log = console.error;
// A supervisor and a terminal tell the service's whole group to end; the service ends this process itself.
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => {});

let wasRefused = false;
let hasGrown = false;
const { grow } = WebAssembly.Memory.prototype;
/** Skia takes the refusal for what a full memory is. */
WebAssembly.Memory.prototype.grow = function growWithin(pages) {
  if (this.buffer.byteLength + 65_536 * pages > MAX_MEMORY_BYTES) {
    wasRefused = true;
    throw new RangeError("no more memory is given to pictures");
  }
  hasGrown = true;
  return grow.call(this, pages);
};

const skia: CanvasKit = await loadSkia.default();
let painter: Promise<Painter> | null = null;

report({ kind: "ready" });
for await (const message of readMessages<Job>(Deno.stdin.readable)) {
  wasRefused = false;
  report({ kind: "reading", file: null });
  try {
    const picture = await make(message);
    assertWithin();
    report({ kind: "done", isOvergrown: hasGrown }, picture === null ? [] : [picture]);
  } catch (error) {
    report({ kind: "failed", reason: String(error) });
  }
}

/** @throws {Error} if memory was refused since the job began, even where Skia made do with less. */
function assertWithin(): void {
  if (wasRefused) throw new Error(`it takes more than ${MAX_MEMORY_BYTES} bytes of memory`);
}

async function make({ value: job, files }: Message<Job>): Promise<Uint8Array | null> {
  const open = (file: number | null) => {
    if (file === null) return null;
    // Else the next file would be blamed for the one before.
    assertWithin();
    report({ kind: "reading", file });
    return files[file] ?? null;
  };
  switch (job.kind) {
    case "resize": {
      const bytes = open(0);
      return bytes && resizeImage(skia, bytes, job);
    }
    case "paint": {
      painter ??= createPainter(skia);
      const { paint } = await painter;
      return await paint(job.facts, {
        logo: () => open(job.logo),
        background: () => open(job.background),
      });
    }
  }
}

/** At once, since nothing else runs while Skia does. */
function report(value: Report, files: readonly Uint8Array[] = []): void {
  for (const part of encodeMessage(value, files)) {
    for (let at = 0; at < part.length;) at += Deno.stdout.writeSync(part.subarray(at));
  }
}
