/**
 * Bytes on the wire: what callers asked for and have not taken. It stays in memory as long as they please, so what no
 * other request shares is counted, and too much of it is refused.
 *
 * Deno 2.9.6 says that a response is over (`info.completed`) when its body was taken: a whole body is taken at once,
 * but a stream only as its reader takes it. Over HTTP/2 nothing is taken while the reader's window is zero.
 */

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
/** Counted bytes from which on nothing is added to them. */
const MAX_WIRE_BYTES = 64 * 1024 * 1024;
const RETRY_SECONDS = 5;
/** A piece that was taken stays in memory until its reader has it. */
const PIECE_BYTES = 64 * 1024;

let wireBytes = 0;

/**
 * Makes the function that counts some bytes until all responses with them are over. It throws `service_unavailable`
 * while too many others are on the wire.
 */
export function createHold(bytes: number): (info: ServerInfo) => void {
  let responses = 0;
  const end = () => {
    if (--responses === 0) wireBytes -= bytes;
  };
  return function hold({ completed }) {
    if (responses === 0) {
      if (wireBytes >= MAX_WIRE_BYTES) throw tooMuch();
      wireBytes += bytes;
    }
    responses++;
    // It rejects if the caller goes away.
    completed.then(end, end);
  };
}

function tooMuch(): PublicError {
  return new PublicError("service_unavailable", "Too many answers wait for their readers.", {
    hint: "Read the answers that you have asked for, and try again after the time in Retry-After.",
    headers: { "retry-after": String(RETRY_SECONDS) },
  });
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
