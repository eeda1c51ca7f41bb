/**
 * Shared parts of the addresses below `/hooks/`, to which other programs send notifications. A request that does not
 * prove its sender gets the 404 of an address that does not exist.
 */

import { startRealTimer, type StartTimer } from "../timeout.ts";
import { readShortBody } from "./body.ts";
import { PublicError } from "./errors.ts";

/** The largest body; a notification has a few hundred bytes. */
const MAX_BYTES = 64 * 1024;
const MAX_SECONDS = 1;
/** The number of bodies that a process reads at once, so that a flood of requests cannot fill its memory. */
const MAX_READING = 32;
const RETRY_SECONDS = 10;

/** Gives up each body that is being read, the oldest first. */
const reading = new Set<() => void>();

/**
 * The body of a request; null if it is too large or cut off. If too many bodies are being read, the oldest one makes
 * room: a notification arrives at once.
 *
 * @throws {PublicError} `service_unavailable` for a body that is too slow, so that an honest sender repeats it.
 */
export async function readHookBody(request: Request): Promise<Uint8Array<ArrayBuffer> | null> {
  const length = Number(request.headers.get("content-length") ?? 0);
  if (length > MAX_BYTES) return null;
  const [oldest] = reading;
  if (oldest !== undefined && reading.size >= MAX_READING) {
    reading.delete(oldest);
    oldest();
  }
  let giveUp = () => {};
  const startTimer: StartTimer = (late, milliseconds) => {
    giveUp = late;
    reading.add(late);
    return startRealTimer(late, milliseconds);
  };
  try {
    return await readShortBody(request, MAX_BYTES, { seconds: MAX_SECONDS, startTimer });
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    if (error.code !== "request_timeout") return null;
    throw new PublicError("service_unavailable", "The body did not arrive in time.", {
      hint: "Send it again.",
      headers: { "retry-after": String(RETRY_SECONDS) },
      cause: error,
    });
  } finally {
    reading.delete(giveUp);
  }
}
