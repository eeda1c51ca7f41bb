/**
 * Bytes on the wire: what callers asked for and have not taken. It stays in memory as long as they please, so what no
 * other request shares is counted, and too much of it is refused.
 *
 * Deno 2.9.6 says that a response is over (`info.completed`) when its body was taken: a whole body is taken at once,
 * but a stream only as its reader takes it. Over HTTP/2 nothing is taken while the reader's window is zero.
 */

import { createSemaphore } from "../semaphore.ts";
import { PublicError } from "./errors.ts";

/** How the server tells the end of a response. */
export type ServerInfo = Pick<Deno.ServeHandlerInfo, "completed">;

/** A request, and how the server tells the end of its response. A route's context is one. */
export interface Asked {
  readonly req: Request;
  readonly info: ServerInfo;
}

/** Fewer bytes are not counted: the stream itself takes about as much. */
export const MIN_COUNTED_BYTES = 16 * 1024;
/** Counted bytes from which on nothing is made that would be added to them. */
const MAX_WIRE_BYTES = 64 * 1024 * 1024;
const RETRY_SECONDS = 5;
/** A piece that was taken stays in memory until its reader has it. */
const PIECE_BYTES = 64 * 1024;

let wireBytes = 0;
const inTurn = createSemaphore(1);

/**
 * Makes what will be counted, one after the other: many that are made at once would take more memory than their bytes.
 *
 * @throws {PublicError} `service_unavailable` while too much waits for its readers.
 */
export function makeInTurn<T>(make: () => T | Promise<T>): Promise<T> {
  return inTurn(async () => {
    requireRoom();
    return await make();
  });
}

/** @throws {PublicError} `service_unavailable` while too much waits for its readers. */
export function requireRoom(): void {
  if (wireBytes < MAX_WIRE_BYTES) return;
  throw new PublicError("service_unavailable", "Too many answers wait for their readers.", {
    hint: "Read the answers that you have asked for, and try again after the time in Retry-After.",
    headers: { "retry-after": String(RETRY_SECONDS) },
  });
}

/** Makes the function that counts some bytes until all responses with them are over. */
export function createHold(bytes: number): (info: ServerInfo) => void {
  let responses = 0;
  const end = () => {
    if (--responses === 0) wireBytes -= bytes;
  };
  return function hold({ completed }) {
    if (responses++ === 0) wireBytes += bytes;
    // It rejects if the caller goes away.
    completed.then(end, end);
  };
}

/** Some bytes as a body that holds no copy of them, and of which a piece is taken at a time. */
export function inPieces(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.subarray(at, at += PIECE_BYTES));
      if (at >= bytes.length) controller.close();
    },
  }, { highWaterMark: 0 });
}
