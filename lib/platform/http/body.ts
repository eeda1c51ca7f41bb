/**
 * Reading bodies: bytes that arrive in parts, up to a limit, and the JSON bodies of requests. The type, encoding
 * and size of a request's body are checked before a byte is kept, and the pace while bytes arrive: a slow body
 * costs its sender nothing, but takes a slot, a connection and memory of this service.
 */

import { startRealTimer, type StartTimer } from "../timeout.ts";
import { PublicError } from "./errors.ts";

/** The slowest pace of a body, on average over each {@linkcode BODY_PACE_SECONDS}. */
export const BODY_BYTES_PER_SECOND = 1024;
/** How often the pace is checked, from the beginning of a body. */
export const BODY_PACE_SECONDS = 5;
/** The timer that all bodies share. */
export const BODY_TICK_MILLISECONDS = 2_500;
const TICKS_PER_PACE = BODY_PACE_SECONDS * 1000 / BODY_TICK_MILLISECONDS;
/** The bytes that must arrive in those seconds, unless the body is complete. */
export const BODY_PACE_BYTES = BODY_PACE_SECONDS * BODY_BYTES_PER_SECOND;
/** The longest time for a body at any pace. */
export const BODY_MAX_SECONDS = 60;

/**
 * Collects parts in one buffer that doubles. Keeping the parts would take more memory: each part that Deno
 * reads from a connection is a view of its own 64 KiB buffer, however short it is. So the first part is
 * copied too, unless it fills most of its buffer.
 */
export function collectBytes() {
  let bytes = new Uint8Array();
  let length = 0;
  return {
    /** The number of bytes so far. */
    get length(): number {
      return length;
    },
    /** Adds a part. The caller must not change it afterwards: the first part may not be copied. */
    push(part: Uint8Array<ArrayBuffer>): void {
      if (length === 0) {
        bytes = part.length < part.buffer.byteLength / 2 ? part.slice() : part;
        length = part.length;
        return;
      }
      const needed = length + part.length;
      if (needed > bytes.length) {
        const grown = new Uint8Array(Math.max(needed, 2 * bytes.length));
        grown.set(bytes.subarray(0, length));
        bytes = grown;
      }
      bytes.set(part, length);
      length = needed;
    },
    /** All bytes so far as one array. */
    take: () => bytes.length === length ? bytes : bytes.slice(0, length),
  };
}

/**
 * Reads all bytes of a body of unknown length up to a limit: a few kilobytes may decompress to gigabytes.
 *
 * @param body null is an empty body.
 * @param maxBytes a larger body is abandoned as soon as the excess is seen.
 * @param tooLong makes the error for a larger body.
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
  { seconds = SHORT_BODY_SECONDS, startTimer = startRealTimer }: {
    readonly seconds?: number;
    readonly startTimer?: StartTimer;
  } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  if (body === null) return new Uint8Array();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const fail = () => reject(timedOut(`took longer than ${seconds} seconds`));
  const stop = startTimer(fail, seconds * 1_000);
  try {
    return await readUntil(late, body, maxBytes);
  } finally {
    stop();
  }
}

/** The caller's hooks into a read. */
interface BodyHooks {
  /** Called with a number of bytes before they are kept; throws if there is no room for them. */
  readonly hold: (bytes: number) => void;
  /**
   * Called before the reader waits for a body that is larger than a few kilobytes or of unknown length, or
   * that has not arrived after a moment; throws to refuse the request.
   */
  readonly beforeWaiting: () => Promise<void>;
}

/**
 * Makes the function of a process that reads the bytes of a request's body unchanged. It throws a `PublicError`: 415
 * for a type other than JSON in UTF-8, or a compressed body; 413 for one that is too large, by its `Content-Length`
 * before a byte of it is read; 400 for one that ends early; 408 for one that is too slow. It also throws the errors of
 * the hooks.
 *
 * @param maxBytes the largest body that is accepted.
 */
export function createBodyReader({ maxBytes, sleep }: {
  readonly maxBytes: number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}) {
  const watch = createPaceWatch(sleep);

  return async function readJsonBytes(
    request: Request,
    { hold, beforeWaiting }: BodyHooks,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { headers } = request;
    requireJson(headers);
    const length = Number(headers.get("content-length") ?? 0);
    if (length > maxBytes) throw tooLarge(maxBytes);
    if (length > 0 && length <= BODY_PACE_BYTES) {
      // One read without a copy: much faster than part by part. Its deadline is one pace, five seconds.
      using pace = watch(beforeWaiting);
      const bytes = await Promise.race([request.bytes().catch(endEarly), pace.broken]);
      hold(bytes.length);
      return bytes;
    }
    // Reading `body` makes a stream of it, which takes longer than to read a small body.
    const { body } = request;
    if (body === null) return new Uint8Array();
    await beforeWaiting();
    using pace = watch();
    return await readUntil(pace.broken, body, maxBytes, (bytes) => {
      hold(bytes);
      pace.arrived(bytes);
    });
  };
}

/** Reads a body as {@linkcode readBounded} does. Abandons it once `over` rejects. */
async function readUntil(
  over: Promise<never>,
  body: NonNullable<Request["body"]>,
  maxBytes: number,
  hold?: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  over.catch((reason) =>
    reader.cancel(reason).catch(() => {/* The connection is closed already. */})
  );
  const reading = readBounded(partsOf(reader), maxBytes, () => tooLarge(maxBytes), hold);
  return await Promise.race([reading.catch(endEarly), over]);
}

async function* partsOf(reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>) {
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel();
  }
}

/**
 * Makes the function that watches a body; `late` is called once if the body has not arrived at the next tick.
 * All bodies share one timer.
 */
function createPaceWatch(sleep: (milliseconds: number) => Promise<void>) {
  /** The tick function of each body. */
  const bodies = new Set<() => void>();
  let isTicking = false;

  async function tick(): Promise<void> {
    isTicking = true;
    while (bodies.size > 0) {
      await sleep(BODY_TICK_MILLISECONDS);
      for (const onTick of bodies) onTick();
    }
    isTicking = false;
  }

  return function watch(late?: () => Promise<void>) {
    const { promise: broken, reject } = Promise.withResolvers<never>();
    // The first tick may come at once, so it does not count.
    let ticks = -1;
    let recent = 0;
    function onTick(): void {
      if (++ticks === 0) return void late?.().catch(reject);
      if (ticks * BODY_TICK_MILLISECONDS >= BODY_MAX_SECONDS * 1000) {
        reject(timedOut(`took longer than ${BODY_MAX_SECONDS} seconds`));
      }
      if (ticks % TICKS_PER_PACE > 0) return;
      if (recent < BODY_PACE_BYTES) {
        reject(timedOut(`arrived at less than ${BODY_BYTES_PER_SECOND} bytes per second`));
      }
      recent = 0;
    }
    bodies.add(onTick);
    if (!isTicking) void tick();
    return {
      /** Rejects with `request_timeout` once the body is too slow, or with what `late` threw; never resolves. */
      broken,
      /** Counts bytes. */
      arrived: (bytes: number) => void (recent += bytes),
      /** Stops the watch. */
      [Symbol.dispose]: () => void bodies.delete(onTick),
    };
  };
}

function requireJson(headers: Headers): void {
  const type = headers.get("content-type");
  const [, charset = "utf-8"] = /;\s*charset=([^;]*)/i.exec(type ?? "") ?? [];
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

function timedOut(what: string): PublicError {
  return new PublicError("request_timeout", `The body ${what}.`, {
    hint: "Send it again, on a new connection.",
    // RFC 9110, section 15.5.9.
    headers: { "connection": "close" },
  });
}
