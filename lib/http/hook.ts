/**
 * Shared parts of the addresses below `/hooks/`, to which other programs send notifications. A request that does not
 * prove its sender gets the 404 of an address that does not exist.
 */

import { createHash, timingSafeEqual } from "node:crypto";
import { startRealTimer, type StartTimer } from "../timeout.ts";
import { collectBytes } from "./body.ts";

/** The largest body; a notification has a few hundred bytes. */
const MAX_BYTES = 64 * 1024;
const TIMEOUT_MILLISECONDS = 5_000;
/** The number of bodies that a process reads at once, so that a flood of requests cannot fill its memory. */
const MAX_READING = 32;

let reading = 0;

/** The body of a request; null if it is too large, too slow or cut off, or if too many bodies are being read. */
export async function readHookBody(
  { headers, body }: Request,
  startTimer: StartTimer = startRealTimer,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (body === null) return new Uint8Array();
  if (Number(headers.get("content-length") ?? 0) > MAX_BYTES || reading >= MAX_READING) return null;
  reading++;
  const reader = body.getReader();
  let isLate = false;
  const stop = startTimer(() => {
    isLate = true;
    reader.cancel().catch(() => {/* The connection is closed already. */});
  }, TIMEOUT_MILLISECONDS);
  try {
    const bytes = collectBytes();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (bytes.length + part.value.length > MAX_BYTES) {
        await reader.cancel();
        return null;
      }
      bytes.push(part.value);
    }
    return isLate ? null : bytes.take();
  } catch {
    // The sender has disconnected, so no error is needed.
    return null;
  } finally {
    stop();
    reading--;
  }
}

/** Whether a request has `Authorization: Bearer` with a secret. The comparison takes the same time for every header. */
export function hasSecret({ headers }: Request, secret: string): boolean {
  const [, given = ""] = /^bearer +(\S+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  return timingSafeEqual(hashOf(given), hashOf(secret));
}

function hashOf(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
