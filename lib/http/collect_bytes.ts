/** Collecting bytes that arrive in parts, up to a limit if need be. */

/** The bytes so far. */
interface CollectedBytes {
  readonly length: number;
  /** Adds a part. The caller must not change it afterwards: the first part may not be copied. */
  push(part: Uint8Array<ArrayBuffer>): void;
  /** All bytes so far as one array. */
  take(): Uint8Array<ArrayBuffer>;
}

/**
 * Collects parts in one buffer that doubles. Keeping the parts would take more memory: each part that Deno
 * reads from a connection is a view of its own 64 KiB buffer, however short it is. So the first part is
 * copied too, unless it fills most of its buffer.
 */
export function collectBytes(): CollectedBytes {
  let bytes = new Uint8Array();
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(part) {
      if (length === 0) {
        bytes = part.length < part.buffer.byteLength / 2 ? part.slice() : part;
        length = part.length;
        return;
      }
      const needed = length + part.length;
      if (needed > bytes.length) {
        const grown = new Uint8Array(Math.max(needed, 2 * bytes.length));
        grown.set(bytes.subarray(0, length));
        bytes = grown;
      }
      bytes.set(part, length);
      length = needed;
    },
    take: () => bytes.length === length ? bytes : bytes.slice(0, length),
  };
}

/**
 * Reads all bytes of a body of unknown length up to a limit: a few kilobytes may decompress to gigabytes.
 *
 * @param body null is an empty body.
 * @param maxBytes a larger body is abandoned as soon as the excess is seen.
 * @param tooLong makes the error for a larger body.
 * @param hold called with the size of each part before it is kept; may throw to refuse it.
 */
export async function readBounded(
  body: AsyncIterable<Uint8Array<ArrayBuffer>> | null,
  maxBytes: number,
  tooLong: () => Error,
  hold: (bytes: number) => void = () => {},
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = collectBytes();
  for await (const part of body ?? []) {
    // Leaving the loop cancels the rest.
    if (bytes.length + part.length > maxBytes) throw tooLong();
    hold(part.length);
    bytes.push(part);
  }
  return bytes.take();
}
