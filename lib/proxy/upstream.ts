/** One request to a provider: sending it and reading the body of the response, both under a watchdog. */

import { collectBytes } from "../platform/http/body.ts";
import type { StartTimer } from "../platform/timeout.ts";
import { CallFailure, type EndReason } from "./failure.ts";
import type { Provider } from "./provider.ts";

/** A request to a provider. */
export interface UpstreamRequest {
  readonly provider: Provider;
  readonly apiKey: string;
  /** The provider's path, such as `/search`. */
  readonly path: string;
  /** A Blob, because Deno 2.9.6 sends plain bytes a second time when a kept-alive connection breaks. */
  readonly body: Blob;
  /** The caller's headers. */
  readonly headers: Headers;
  readonly requestId: string;
}

/** Ends one call if the provider is silent for too long or the caller disconnects. */
export interface Watchdog {
  /** Aborts the call; its reason is an {@linkcode EndReason}. */
  readonly signal: AbortSignal;
  /** Why the call was ended; null if it was not. */
  readonly ended: EndReason | null;
  /** Starts the time in which the provider must send something. */
  expect(): void;
  /** Ends that time: the provider sent something, or nothing is expected. */
  rest(): void;
}

type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

/** The pieces of a body, each read on demand, so that back-pressure reaches the provider. */
export interface Source {
  /**
   * The next piece, or null at the end.
   *
   * @throws {CallFailure} if the provider is silent for too long or disconnects, or the caller does.
   */
  next(): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Closes the provider's connection. */
  cancel(): Promise<void>;
}

/** The buffer for one piece: the smaller size while pieces are short and the length is unknown. */
const PIECE_BYTES = 16 * 1024;
const MAX_PIECE_BYTES = 64 * 1024;
/** An answer below this size is not large: what holds it is the system's buffer for the connection. */
export const SMALL_BYTES = 64 * 1024;

/** Creates a watchdog. The caller's signal may also fire after a complete response, without effect. */
export function createWatchdog(
  caller: AbortSignal,
  milliseconds: number,
  startLimit: StartTimer,
): Watchdog {
  const controller = new AbortController();
  let cancel = () => {};
  let ended: EndReason | null = null;
  function end(reason: EndReason) {
    cancel();
    ended ??= reason;
    controller.abort(new DOMException(reason, "AbortError"));
  }
  const abort = () => end("aborted");
  if (caller.aborted) abort();
  else caller.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    get ended() {
      return ended;
    },
    expect() {
      cancel();
      cancel = startLimit(() => end("timeout"), milliseconds);
    },
    rest: () => cancel(),
  };
}

/**
 * Sends a request and resolves to the provider's response as soon as its head has arrived.
 *
 * @throws {CallFailure} if there is no response.
 */
export async function send(
  doFetch: typeof fetch,
  { provider, apiKey, path, body, headers: given, requestId }: UpstreamRequest,
  watchdog: Watchdog,
): Promise<Response> {
  if (watchdog.ended !== null) throw new CallFailure("unsent");
  // A plain object: `fetch` would sort and validate a `Headers` again.
  const headers: Record<string, string> = {
    "content-type": given.get("content-type") ?? "application/json",
    "accept": given.get("accept") ?? "*/*",
    // By default `fetch` asks for compression, and its decompressed body contradicts the headers.
    "accept-encoding": "identity",
    "user-agent": "foyer",
    "x-request-id": requestId,
    ...provider.authorization(apiKey),
  };
  if (provider.passesOn !== null) {
    for (const [name, value] of given) {
      if (provider.passesOn(name)) headers[name] = value;
    }
  }
  watchdog.expect();
  try {
    return await doFetch(provider.apiUrl + path, {
      method: "POST",
      headers,
      body,
      signal: watchdog.signal,
      redirect: "manual",
    });
  } catch (cause) {
    const reason = cause instanceof Error ? String(cause.cause) : "";
    const isSent = !reason.includes("client error (Connect)");
    throw new CallFailure(watchdog.ended ?? { kind: isSent ? "broken" : "unreachable", cause });
  } finally {
    watchdog.rest();
  }
}

/**
 * Opens the body of a response, and decompresses it if the provider compressed it unasked.
 *
 * @param enlarge waits for a place for a large answer; called once, after the first 64 KiB.
 */
export function openBody(
  response: Response,
  watchdog: Watchdog,
  enlarge: (signal: AbortSignal) => Promise<void>,
): Source {
  const pieces = readPieces(response);
  let bytes = 0;
  return {
    async next() {
      if (pieces.isOver()) return null;
      watchdog.expect();
      try {
        const wasSmall = bytes < SMALL_BYTES;
        const piece = await pieces.read();
        bytes += piece?.length ?? 0;
        if (wasSmall && bytes >= SMALL_BYTES) await enlarge(watchdog.signal);
        return piece;
      } catch (cause) {
        throw new CallFailure(watchdog.ended ?? { kind: "broken", cause });
      } finally {
        watchdog.rest();
      }
    },
    cancel: () => cancelled(pieces),
  };
}

/** Bytes that are there, in pieces. */
export function sourceOf(bytes: Uint8Array<ArrayBuffer>): Source {
  let at = 0;
  return {
    next: () =>
      Promise.resolve(at < bytes.length ? bytes.subarray(at, at += MAX_PIECE_BYTES) : null),
    cancel: () => Promise.resolve(),
  };
}

/** Reads a body in pieces no larger than the rest of it; each is null at the end. */
function readPieces(response: Response) {
  const body = decompressed(response);
  /** The number of remaining bytes; null if it is unknown, or 0 from the start: the end is read then. */
  let left = body === null ? 0 : lengthOf(response) || null;
  const isOver = () => left === 0;
  if (left !== null && left > 0 && left <= SMALL_BYTES) {
    // One read, which takes half the time of the pieces.
    const read = () => {
      left = 0;
      return response.bytes();
    };
    return { isOver, read, cancel: () => response.body?.cancel() };
  }
  const reader = body && byteReader(body);
  if (reader === null) {
    const reader = body?.getReader();
    const read = async () => (await reader?.read())?.value ?? null;
    return { isOver, read, cancel: () => reader?.cancel() };
  }
  const cancel = () => reader.cancel();
  // Deno's own reads allocate 64 KiB each, even at the end: at a thousand responses at once that is a
  // quarter of an isolate's memory.
  let usual = PIECE_BYTES;
  const read = async () => {
    const size = left === null ? usual : Math.min(left, MAX_PIECE_BYTES);
    const { done, value } = await reader.read(new Uint8Array(size));
    if (done || value === undefined) return null;
    if (left !== null) left -= value.length;
    // Reading to the end would take another turn of the event loop, a tenth of a search's time.
    if (left === 0) await cancelled({ cancel });
    // V8 is slow to collect small buffers: 1 GB read in small pieces leaves 20 MB of garbage.
    usual = value.length < PIECE_BYTES ? PIECE_BYTES : MAX_PIECE_BYTES;
    return value;
  };
  return { isOver, read, cancel };
}

/** A reader into buffers of our own; null for a stream without one, such as a decompressed one. */
function byteReader(body: Body): ReadableStreamBYOBReader | null {
  try {
    return body.getReader({ mode: "byob" });
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** The length that a response announces; null if it announces none or is compressed. */
export function lengthOf({ headers }: Response): number | null {
  const length = headers.get("content-length") ?? "";
  return /^\d{1,15}$/.test(length) && !headers.has("content-encoding") ? Number(length) : null;
}

/** The beginning of a body. */
interface Ahead {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether the body has no more. */
  readonly isAll: boolean;
}

/**
 * Reads on until there are `bytes` bytes or the body ends.
 *
 * @throws {CallFailure} as the source does.
 */
export async function readAhead(source: Source, bytes: number): Promise<Ahead> {
  const ahead = collectBytes();
  while (ahead.length < bytes) {
    const piece = await source.next();
    if (piece === null) return { bytes: ahead.take(), isAll: true };
    ahead.push(piece);
  }
  return { bytes: ahead.take(), isAll: false };
}

/**
 * Reads a whole body.
 *
 * @throws {CallFailure} as the source does, or if there is more than `maxBytes`.
 */
export async function readAll(source: Source, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const { bytes, isAll } = await readAhead(source, maxBytes + 1);
  if (isAll) return bytes;
  await source.cancel();
  throw new CallFailure({ kind: "nonsense", what: "a response that is too long" });
}

/** Cancels a body. A failure, as on a broken connection, has no consequence. */
export async function cancelled(
  body: { cancel(): Promise<void> | undefined } | null,
): Promise<void> {
  await body?.cancel()?.catch(() => {});
}

/** The body, decompressed if the provider ignored `Accept-Encoding`. */
function decompressed(response: Response): Body | null {
  const encoding = response.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (response.body === null || encoding === "identity") return response.body;
  const format = encoding === "x-gzip" ? "gzip" : encoding;
  if (format === "gzip" || format === "deflate") {
    return response.body.pipeThrough(new DecompressionStream(format));
  }
  void cancelled(response.body);
  throw new CallFailure({
    kind: "nonsense",
    what: "a response in a compression that it was not asked for",
  });
}
