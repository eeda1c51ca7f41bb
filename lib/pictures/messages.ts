/**
 * What the service and the process that reads pictures tell each other, as bytes in a pipe: the length of a text
 * (32 bits), that text (JSON, which names the lengths of the files), the files.
 */

import type { SharingFacts } from "./painter.ts";

/** An image in a smaller size. */
export interface Sizing {
  /** In pixels; a narrower image stays as wide as it is. */
  readonly width: number;
  /** Of WebP: 0 to 100, where 100 loses nothing. */
  readonly quality: number;
}

/** What is to be made of the files that come with it. */
export type Job =
  | Sizing & { readonly kind: "resize" }
  | {
    readonly kind: "paint";
    readonly facts: SharingFacts;
    /** The place of an image among the files; null where there is none. */
    readonly logo: number | null;
    readonly background: number | null;
  };

/** What the process says. */
export type Report =
  /** It waits for a first job. */
  | { readonly kind: "ready" }
  /** It begins with the job, or to read one of its files: until the next report that is what it is busy with. */
  | { readonly kind: "reading"; readonly file: number | null }
  /** The picture is the file that comes with it; without one the job's file is none that can be made smaller. */
  | { readonly kind: "done"; readonly isOvergrown: boolean }
  | { readonly kind: "failed"; readonly reason: string };

/** A text with files. */
export interface Message<T> {
  readonly value: T;
  readonly files: readonly Uint8Array<ArrayBuffer>[];
}

/** The bytes of a message, in the order in which they are sent. */
export function encodeMessage(value: Job | Report, files: readonly Uint8Array[] = []) {
  const lengths = files.map(({ length }) => length);
  const text = new TextEncoder().encode(JSON.stringify({ value, lengths }));
  const head = new Uint8Array(4 + text.length);
  new DataView(head.buffer).setUint32(0, text.length);
  head.set(text, 4);
  return [head, ...files];
}

/** The messages of a pipe, which end where it does, even within one. */
export async function* readMessages<T extends Job | Report>(
  pipe: ReadableStream<Uint8Array>,
): AsyncGenerator<Message<T>, void, void> {
  const reader = pipe.getReader();
  let rest = new Uint8Array();

  /** Null where the pipe ends before so many bytes. */
  async function take(count: number): Promise<Uint8Array<ArrayBuffer> | null> {
    const taken = new Uint8Array(count);
    let length = 0;
    for (;;) {
      const part = rest.subarray(0, count - length);
      taken.set(part, length);
      length += part.length;
      rest = rest.subarray(part.length);
      if (length === count) return taken;
      const { done, value } = await reader.read();
      if (done) return null;
      rest = new Uint8Array(value);
    }
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
