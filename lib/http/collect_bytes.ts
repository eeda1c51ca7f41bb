/** Collecting bytes that arrive in parts. */

/** Bytes so far. */
interface CollectedBytes {
  readonly length: number;
  /** Adds a part, which must not be changed any more: the first one may not be copied. */
  push(part: Uint8Array<ArrayBuffer>): void;
  /** All bytes so far as one array. */
  take(): Uint8Array<ArrayBuffer>;
}

/**
 * Collects parts in one buffer that doubles. To keep the parts themselves would take more memory: each part
 * that Deno reads from a connection is a view of its own 64 KiB buffer, even if it is one byte long. So the
 * first part is copied, too, unless it fills most of its buffer.
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
