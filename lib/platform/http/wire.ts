/**
 * Bytes on the wire: what callers asked for and have not taken. It stays in memory as long as they please, so what no
 * other request shares is counted, and too much of it is refused.
 *
 * Deno 2.9.6 says that a response is over (`info.completed`) when its body was taken: a whole body is taken at once,
 * but a stream only as its reader takes it. Over HTTP/2 nothing is taken while the reader's window is zero. A stream
 * adds half to a list's processor time. So small responses are sampled, as memory profilers sample allocations: a
 * response that is chosen at random goes as a stream, and counts for others too. No caller can tell which one it is.
 */

import { streamOf } from "../bytes.ts";
import { createSemaphore } from "../semaphore.ts";
import { PublicError } from "./errors.ts";

/** How the server tells the end of a response. */
export type ServerInfo = Pick<Deno.ServeHandlerInfo, "completed">;

/** A request, and how the server tells the end of its response. A route's context is one. */
export interface Asked {
  readonly req: Request;
  readonly info: ServerInfo;
}

/** On average, one response in this many bytes is counted, as this many bytes. */
const SAMPLE_BYTES = 1024 * 1024;
/** What a response takes besides its bytes. */
const RESPONSE_BYTES = 8 * 1024;
/** Counted bytes from which on nothing is made that would be added to them. */
const MAX_WIRE_BYTES = 48 * 1024 * 1024;
/** The most requests that wait for their turns. They take about `RETRY_SECONDS`. */
const MAX_WAITING = 500;
const RETRY_SECONDS = 5;

let wireBytes = 0;
let waiting = 0;
const inTurn = createSemaphore(1);

/**
 * Makes what will be counted, one after the other: many that are made at once would take more memory than their bytes.
 *
 * @throws {PublicError} `service_unavailable` while too much waits for its readers.
 */
export async function makeInTurn<T>(make: () => T | Promise<T>): Promise<T> {
  if (waiting >= MAX_WAITING) throw tooMuch();
  waiting++;
  try {
    return await inTurn(async () => {
      requireRoom();
      return await make();
    });
  } finally {
    waiting--;
  }
}

/** @throws {PublicError} `service_unavailable` while too much waits for its readers. */
export function requireRoom(): void {
  if (wireBytes >= MAX_WIRE_BYTES) throw tooMuch();
}

function tooMuch(): PublicError {
  return new PublicError("service_unavailable", "Too many answers wait for their readers.", {
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

/** Makes the function that samples the responses with the same bytes, and returns the response to send. */
export function createCount(length: number) {
  const bytes = length + RESPONSE_BYTES;
  const hold = createHold(Math.max(bytes, SAMPLE_BYTES));
  return function count(response: Response, info: ServerInfo): Response | Promise<Response> {
    if (bytes < Math.random() * SAMPLE_BYTES) return response;
    hold(info);
    return inStream(response);
  };
}

/** The same response as a stream, so that Deno says when its bytes were taken. */
export async function inStream(response: Response): Promise<Response> {
  const bytes = await response.bytes();
  response.headers.set("content-length", String(bytes.length));
  return new Response(streamOf(bytes), response);
}
