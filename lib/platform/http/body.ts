/**
 * Reading bodies: bytes that arrive in parts, up to a limit, and the JSON bodies of requests. The type, encoding
 * and size of a request's body are checked before a byte is kept, and it has one deadline: a slow body costs its
 * sender nothing, but takes a slot, a connection and memory of this service.
 */

import { startRealTimer, type StartTimer, withTimeout } from "../timeout.ts";
import { PublicError } from "./errors.ts";

/** The longest time for a JSON body. */
export const BODY_SECONDS = 60;
/** A JSON body up to this size, by its `Content-Length`, is read in one piece, before anything else is asked. */
export const SMALL_BODY_BYTES = 5 * 1024;

/**
 * Collects parts in one buffer, which doubles. Keeping the parts would take more memory: each part that Deno reads from
 * a connection is a view of its own 64 KiB buffer, however short it is. A buffer that is too small is detached, which
 * frees it without a garbage collection.
 *
 * @param expected the announced or the largest number of bytes, if there is one: the buffer does not double beyond it.
 *   A sender may announce too much, so the buffer is at most twice as large as what has arrived.
 */
export function collectBytes(expected = Infinity) {
  let bytes = new Uint8Array();
  let length = 0;
  return {
    /** The number of bytes so far. */
    get length(): number {
      return length;
    },
    push(part: Uint8Array): void {
      const needed = length + part.length;
      if (needed > bytes.length) {
        const size = Math.max(needed, Math.min(2 * bytes.length, expected));
        bytes = new Uint8Array(bytes.buffer.transfer(size));
      }
      bytes.set(part, length);
      length = needed;
    },
    /** All bytes as one array. Nothing may be added afterwards. */
    take: () => bytes.length === length ? bytes : new Uint8Array(bytes.buffer.transfer(length)),
  };
}

/**
 * Reads all bytes of a body of unknown length up to a limit: a few kilobytes may decompress to gigabytes.
 *
 * @param body null is an empty body.
 * @param maxBytes a larger body is abandoned as soon as the excess is seen.
 * @param tooLong makes the error for a larger body.
 * @param reserveBytes called with the size of each part before it is kept; may throw to refuse it.
 * @param expected the number of bytes that was announced, if any.
 */
export async function readBounded(
  body: AsyncIterable<Uint8Array<ArrayBuffer>> | null,
  maxBytes: number,
  tooLong: () => Error,
  reserveBytes: (bytes: number) => void = () => {},
  expected = maxBytes,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = collectBytes(expected);
  for await (const part of body ?? []) {
    // Leaving the loop cancels the rest.
    if (bytes.length + part.length > maxBytes) throw tooLong();
    reserveBytes(part.length);
    bytes.push(part);
  }
  return bytes.take();
}

/** The property of a body that holds its response. */
const RESPONSE = Symbol("response");

/**
 * A `fetch` that keeps each response alive as long as its body, for callers that keep the body alone. In Deno 2.9.6 a
 * signal has no effect once the `Response` is garbage-collected, even while its body is being read, so a silent sender
 * would block the reader for ever.
 */
export function holdingFetch(doFetch: typeof fetch): typeof fetch {
  return async function fetchHolding(input, init) {
    const response = await doFetch(input, init);
    if (response.body !== null) Object.assign(response.body, { [RESPONSE]: response });
    return response;
  };
}

/** The longest time for a form or a short message, unless its reader says otherwise. */
const SHORT_BODY_SECONDS = 10;

/**
 * Reads the body of a form or of a short message.
 *
 * @throws {PublicError} 413 for more than `maxBytes`, 408 after `seconds`, 400 for a body that ends early.
 */
export async function readShortBody(
  { body }: Request,
  maxBytes: number,
  seconds = SHORT_BODY_SECONDS,
): Promise<Uint8Array<ArrayBuffer>> {
  return await readUntil(seconds, startRealTimer, body, maxBytes);
}

/** The caller's hooks into a read. */
interface BodyHooks {
  /** Called with a number of bytes before they are kept; throws if there is no room for them. */
  readonly reserveBytes?: (bytes: number) => void;
  /** Called before the reader waits for a body that is not small; throws to refuse the request. */
  readonly beforeWaiting?: () => Promise<void>;
}

/**
 * Makes the function of a process that reads the bytes of a request's body unchanged. It throws a `PublicError`: 415
 * for a type other than JSON in UTF-8, or a compressed body; 413 for one that is too large, by its `Content-Length`
 * before a byte of it is read; 400 for one that ends early; 408 for one that takes longer than
 * {@linkcode BODY_SECONDS}. It also throws the errors of the hooks.
 *
 * @param maxBytes the largest body that is accepted.
 */
export function createBodyReader({ maxBytes, startTimer = startRealTimer }: {
  readonly maxBytes: number;
  readonly startTimer?: StartTimer;
}) {
  return async function readJsonBytes(
    request: Request,
    { reserveBytes, beforeWaiting }: BodyHooks = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { headers } = request;
    requireJson(headers);
    const announced = headers.get("content-length");
    const length = Number(announced ?? 0);
    if (length > maxBytes) throw tooLarge(maxBytes);
    if (length > 0 && length <= SMALL_BODY_BYTES) {
      // One read without a copy: much faster than part by part.
      const bytes = await withTimeout(
        BODY_SECONDS * 1_000,
        request.bytes().catch(endEarly),
        () => timedOut(BODY_SECONDS),
        startTimer,
      );
      reserveBytes?.(bytes.length);
      return bytes;
    }
    // Reading `body` makes a stream of it, which takes longer than to read a small body.
    const { body } = request;
    if (body !== null) await beforeWaiting?.();
    return await readUntil(
      BODY_SECONDS,
      startTimer,
      body,
      maxBytes,
      reserveBytes,
      announced === null ? undefined : length,
    );
  };
}

/** Reads a body as {@linkcode readBounded} does, and abandons it after some seconds. */
async function readUntil(
  seconds: number,
  startTimer: StartTimer,
  body: Request["body"],
  maxBytes: number,
  reserveBytes?: (bytes: number) => void,
  expected?: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  const reading = readBounded(
    partsOf(reader),
    maxBytes,
    () => tooLarge(maxBytes),
    reserveBytes,
    expected,
  )
    .catch(endEarly);
  return await withTimeout(seconds * 1_000, reading, () => {
    reader.cancel().catch(() => {/* The connection is closed already. */});
    return timedOut(seconds);
  }, startTimer);
}

/** The parts of a body, each until the next is asked for: collections free the buffers of many bodies too late. */
async function* partsOf(reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>) {
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      yield part.value;
      part.value.buffer.transfer(0);
    }
  } finally {
    await reader.cancel();
  }
}

function requireJson(headers: Headers): void {
  const type = headers.get("content-type");
  const charset = /;\s*charset=([^;]*)/i.exec(type ?? "")?.[1] ?? "utf-8";
  const isJson = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type ?? "");
  if (!isJson || !/^"?utf-?8"?\s*$/i.test(charset)) {
    const message = type === null
      ? "The request has no Content-Type."
      : "The Content-Type must be JSON in UTF-8.";
    throw new PublicError("unsupported_media_type", message, {
      hint: "Send the header Content-Type: application/json.",
      headers: { "accept": "application/json" },
    });
  }
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  if (encoding === "" || encoding === "identity") return;
  throw new PublicError("unsupported_media_type", "The body is compressed.", {
    hint: "Send it uncompressed, without Content-Encoding.",
    // RFC 9110, section 15.5.16.
    headers: { "accept-encoding": "identity" },
  });
}

function tooLarge(maxBytes: number): PublicError {
  return new PublicError("payload_too_large", `The body is larger than ${maxBytes} bytes.`, {
    hint: "Send less in one request.",
  });
}

function endEarly(cause: unknown): never {
  if (cause instanceof PublicError) throw cause;
  throw new PublicError("bad_request", "The body ended early.", {
    hint: "Send all the bytes that Content-Length or the chunks announce.",
    cause,
  });
}

function timedOut(seconds: number): never {
  throw new PublicError("request_timeout", `The body took longer than ${seconds} seconds.`, {
    hint: "Send it again, on a new connection.",
    // RFC 9110, section 15.5.9.
    headers: { "connection": "close" },
  });
}
