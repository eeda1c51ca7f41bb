/**
 * Shared parts of the addresses below `/hooks/`, to which other programs send notifications. A request that does not
 * prove its sender gets the 404 of an address that does not exist.
 */

import { readShortBody } from "./body.ts";
import { PublicError } from "./errors.ts";

/** The largest body; a notification has a few hundred bytes. */
const MAX_BYTES = 64 * 1024;
const MAX_SECONDS = 5;
/** The number of bodies that a process reads at once, so that a flood of requests cannot fill its memory. */
const MAX_READING = 32;

let reading = 0;

/** The body of a request; null if it is too large, too slow or cut off, or if too many bodies are being read. */
export async function readHookBody(request: Request): Promise<Uint8Array<ArrayBuffer> | null> {
  const length = Number(request.headers.get("content-length") ?? 0);
  if (length > MAX_BYTES || reading >= MAX_READING) return null;
  reading++;
  try {
    return await readShortBody(request, MAX_BYTES, { seconds: MAX_SECONDS });
  } catch (error) {
    if (error instanceof PublicError) return null;
    throw error;
  } finally {
    reading--;
  }
}
