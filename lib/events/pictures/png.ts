/** The chunks of PNG files (W3C PNG, third edition: sections 5, 9 and 11), read where Skia would take too long. */

const SIGNATURE_LENGTH = 8;
/** A chunk's bytes besides its content: length, type and checksum. */
const CHUNK_OVERHEAD = 12;
/** The types of chunks by their four letters. */
const [ANIMATION_CONTROL, IMAGE_DATA] = [0x6163544c, 0x49444154];
/** `tEXt`, `zTXt`, `iTXt`. */
const TEXTS: ReadonlySet<number> = new Set([0x74455874, 0x7a545874, 0x69545874]);

/**
 * The file without its text chunks, on which no pixel depends. Skia decompresses each of them, a few kilobytes into
 * as much as 8 MB, so a file of 5 MB would keep it busy for 20 seconds.
 */
export function withoutTexts(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const picture = new Uint8Array(bytes.length);
  picture.set(bytes.subarray(0, SIGNATURE_LENGTH));
  let length = SIGNATURE_LENGTH;
  for (const { type, at, next } of chunksOf(bytes)) {
    if (TEXTS.has(type)) continue;
    const chunk = bytes.subarray(at, next);
    picture.set(chunk, length);
    length += chunk.length;
  }
  return picture.subarray(0, length);
}

/** Whether a chunk before the pixels announces an animation (acTL), which Skia reads as one frame. */
export function isMovingPng(bytes: Uint8Array): boolean {
  for (const { type } of chunksOf(bytes)) {
    if (type === ANIMATION_CONTROL) return true;
    if (type === IMAGE_DATA) return false;
  }
  return false;
}

/** The chunks in order; the last one may be cut short. */
function* chunksOf(bytes: Uint8Array): Generator<{ type: number; at: number; next: number }> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = SIGNATURE_LENGTH;
  while (at + 8 <= bytes.length) {
    const next = at + CHUNK_OVERHEAD + view.getUint32(at);
    yield { type: view.getUint32(at + 4), at, next };
    at = next;
  }
}
