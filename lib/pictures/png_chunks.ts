/** The chunks of a PNG file (W3C PNG, section 5), where Skia must not be left alone with them. */

/** Bytes of a file before its first chunk. */
const SIGNATURE = 8;
/** Bytes of a chunk besides what it holds: its length, its type and its checksum. */
const AROUND = 12;
/** The types of chunks by their four letters. */
const [ANIMATION_CONTROL, IMAGE_DATA] = [0x6163544c, 0x49444154];
/** `tEXt`, `zTXt`, `iTXt`. */
const TEXTS: ReadonlySet<number> = new Set([0x74455874, 0x7a545874, 0x69545874]);

/**
 * The file without its texts, on which no pixel depends. Skia unpacks all of them, each up to 8 MB of a few
 * kilobytes: a file of 5 MB would hold it up for 20 seconds.
 */
export function withoutTexts(bytes: Uint8Array): Uint8Array {
  const picture = new Uint8Array(bytes.length);
  picture.set(bytes.subarray(0, SIGNATURE));
  let length = SIGNATURE;
  for (const { type, at, next } of chunksOf(bytes)) {
    if (TEXTS.has(type)) continue;
    const chunk = bytes.subarray(at, next);
    picture.set(chunk, length);
    length += chunk.length;
  }
  return picture.subarray(0, length);
}

/** Whether a chunk before the pixels says that more frames follow; Skia counts one (W3C PNG, acTL). */
export function isMovingPng(bytes: Uint8Array): boolean {
  for (const { type } of chunksOf(bytes)) {
    if (type === ANIMATION_CONTROL) return true;
    if (type === IMAGE_DATA) return false;
  }
  return false;
}

/** The chunks in order; the last one may be cut short. */
function* chunksOf(bytes: Uint8Array): Iterable<{ type: number; at: number; next: number }> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = SIGNATURE;
  while (at + 8 <= bytes.length) {
    const next = at + AROUND + view.getUint32(at);
    yield { type: view.getUint32(at + 4), at, next };
    at = next;
  }
}
