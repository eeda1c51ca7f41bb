/**
 * The messages between the service and the process that reads pictures. Each is, in this order: the length of a
 * text (32 bits), the text (JSON, with the files' lengths), the files.
 */

import type { IconFacts } from "./icon.ts";
import type { SharingFacts } from "./painter.ts";

/** An image in a smaller size. */
export interface Sizing {
  /** In pixels; a narrower image keeps its width. */
  readonly width: number;
  /** The quality of the WebP file, from 0 to 100 (lossless). */
  readonly quality: number;
}

/** A picture that is painted: the one that an event is shared with, or an icon of the site. */
export type Drawing =
  | { readonly kind: "card"; readonly facts: SharingFacts }
  | { readonly kind: "icon"; readonly facts: IconFacts };

/** The files that a drawing may have. `logo` is an icon's or an event's; `font` and `siteLogo` are the site's own. */
export const FILE_NAMES = ["logo", "background", "siteLogo", "font"] as const;
export type FileName = typeof FILE_NAMES[number];

/** A job for the files that come with it: one to resize, or those of a drawing, by their indices and versions. */
export type Job =
  | Sizing & { readonly kind: "resize" }
  | Drawing & {
    readonly files: {
      readonly [name in FileName]?: { readonly index: number; readonly version: string };
    };
  };

/** A report of the process. */
export type Report =
  /** It is ready for its first job. */
  | { readonly kind: "ready" }
  /** It has begun the job itself (null) or one of its files, and is busy with it until the next report. */
  | { readonly kind: "reading"; readonly file: number | null }
  /** The picture is the file that comes with it; without a file the image cannot be resized. */
  | { readonly kind: "done"; readonly isOvergrown: boolean }
  | { readonly kind: "failed"; readonly reason: string };

/** A value with files. */
export interface Message<T> {
  readonly value: T;
  readonly files: readonly Uint8Array<ArrayBuffer>[];
}

/** A message's bytes in the order of sending. */
export function encodeMessage(value: Job | Report, files: readonly Uint8Array[] = []) {
  const lengths = files.map(({ length }) => length);
  const text = new TextEncoder().encode(JSON.stringify({ value, lengths }));
  const head = new Uint8Array(4 + text.length);
  new DataView(head.buffer).setUint32(0, text.length);
  head.set(text, 4);
  return [head, ...files];
}

/** The messages of a pipe. They end with the pipe, even if it ends within a message. */
export async function* readMessages<T extends Job | Report>(
  pipe: ReadableStream<Uint8Array>,
): AsyncGenerator<Message<T>, void, void> {
  const reader = pipe.getReader({ mode: "byob" });

  /** Reads `count` bytes; null if the pipe ends before. */
  async function take(count: number): Promise<Uint8Array<ArrayBuffer> | null> {
    // A read of no bytes is an error.
    if (count === 0) return new Uint8Array();
    const { done, value } = await reader.read(new Uint8Array(count), { min: count });
    return done ? null : value;
  }

  for (;;) {
    const size = await take(4);
    const text = size && await take(new DataView(size.buffer).getUint32(0));
    if (text === null) return;
    // Both ends are this program.
    const head = JSON.parse(new TextDecoder().decode(text)) as { value: T; lengths: number[] };
    const files: Uint8Array<ArrayBuffer>[] = [];
    for (const length of head.lengths) {
      const file = await take(length);
      if (file === null) return;
      files.push(file);
    }
    yield { value: head.value, files };
  }
}
