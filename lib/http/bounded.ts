/** Reading a body of unknown length up to a limit: a few kilobytes may decompress to gigabytes. */

import { collectBytes } from "./collect_bytes.ts";

/**
 * All bytes of a body; none for null.
 *
 * @param maxBytes the largest body that is taken; a larger one is given up as soon as that is seen.
 * @param tooLong makes the error of a larger one.
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
