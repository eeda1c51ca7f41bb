/** One request to a provider: sending it, and reading the body of the response, within a limit of silence. */

import { streamOf } from "../platform/bytes.ts";
import { collectBytes } from "../platform/http/body.ts";
import type { StartTimer } from "../platform/timeout.ts";
import { callerGone, CallFailure, FREE, invalidResponse, timedOut } from "./internal/failure.ts";
import { answersWait, type Slot } from "./internal/in_flight.ts";
import type { Provider } from "./internal/provider.ts";

/** A request to a provider. */
export interface UpstreamRequest {
  readonly provider: Provider;
  readonly apiKey: string;
  /** The provider's path, such as `/search`. */
  readonly path: string;
  readonly body: SingleBody;
  /** The caller's headers. */
  readonly headers: Headers;
  readonly requestId: string;
}

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
  /** Held as long as the body is read: Deno forgets to abort a response that nothing refers to. */
  readonly response?: Response;
}

/** The buffer for one piece: the smaller size while pieces are short and the length is unknown. */
const PIECE_BYTES = 16 * 1024;
const MAX_PIECE_BYTES = 64 * 1024;
/** An answer below this size is not large: what holds it is the system's buffer for the connection. */
export const SMALL_BYTES = 64 * 1024;

const NO_BYTES = new Uint8Array();

/**
 * The bytes of a request, which are sent once: Deno 2.9.6 sends plain bytes a second time when a kept-alive connection
 * breaks, and takes a Blob for a stream of known length. `fetch` uses only `size`, `type` and `stream()` of a Blob. A
 * Blob copies its parts, so this one is empty, and has a size and a stream of its own. It holds its bytes until they are
 * read.
 */
export class SingleBody extends Blob {
  readonly #size: number;
  #bytes: Uint8Array<ArrayBuffer>;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    super();
    this.#size = bytes.length;
    this.#bytes = bytes;
  }

  override get size(): number {
    return this.#size;
  }

  override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const bytes = this.#bytes;
    this.#bytes = NO_BYTES;
    return streamOf(bytes);
  }
}

/** Ends one call if the provider is silent for too long or the caller disconnects. */
export class Watchdog {
  readonly #controller = new AbortController();

  /** The caller's signal may also fire after a complete response, without effect. */
  constructor(
    caller: AbortSignal,
    private readonly milliseconds: number,
    private readonly startLimit: StartTimer,
  ) {
    if (caller.aborted) this.#controller.abort(callerGone(FREE));
    else caller.addEventListener("abort", () => this.#controller.abort(callerGone()));
  }

  /** Aborts the call; its reason is a {@linkcode CallFailure}. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Waits for the provider, which must send something in time.
   *
   * @throws {CallFailure} if it does not, or `work` rejects.
   */
  expect<T>(work: Promise<T>): Promise<T> {
    const stop = this.#abortLater(timedOut);
    return work.then((result) => {
      stop();
      return result;
    }, (cause) => {
      stop();
      this.signal.throwIfAborted();
      const isUnsent = cause instanceof Error && String(cause.cause).includes("error (Connect)");
      throw isUnsent
        ? new CallFailure("upstream_error", "cannot be reached", { reading: FREE, cause })
        : new CallFailure("upstream_error", "broke the connection", { cause });
    });
  }

  /**
   * Waits for a place for a large answer, as long as for the provider, which must wait too; says whether it waited.
   *
   * @throws {PublicError} `service_unavailable` if there is none in time; {@linkcode CallFailure} if the caller leaves.
   */
  async acquireLargeResponse(slot: Pick<Slot, "acquireLargeResponse">): Promise<boolean> {
    const stop = this.#abortLater(answersWait);
    return await slot.acquireLargeResponse(this.signal).finally(stop);
  }

  /** Aborts the call at the end of its time, unless the returned function is called before. */
  #abortLater(reason: () => Error): () => void {
    return this.startLimit(() => this.#controller.abort(reason()), this.milliseconds);
  }
}

/**
 * Sends a request and resolves to the provider's response as soon as its head has arrived.
 *
 * @throws {CallFailure} if there is no response.
 */
export function send(
  doFetch: typeof fetch,
  { provider, apiKey, path, body, headers: given, requestId }: UpstreamRequest,
  watchdog: Watchdog,
): Promise<Response> {
  watchdog.signal.throwIfAborted();
  // A plain object: `fetch` would sort and validate a `Headers` again.
  const headers: Record<string, string> = {
    // The body was read as JSON in UTF-8, whatever parameters the caller's type has.
    "content-type": "application/json",
    "accept": given.get("accept") ?? "*/*",
    // By default `fetch` asks for compression, and its decompressed body contradicts the headers.
    "accept-encoding": "identity",
    "user-agent": "foyer",
    "x-request-id": requestId,
    ...provider.authorization(apiKey),
  };
  for (const up of provider.headersUp) {
    // Listing the names takes a sort of all headers, so it is done for a beginning of names alone.
    const names = up.endsWith("-") ? given.keys().filter((name) => name.startsWith(up)) : [up];
    for (const name of names) {
      const value = given.get(name);
      if (value !== null) headers[name] = value;
    }
  }
  const { signal } = watchdog;
  const init: RequestInit = { method: "POST", headers, body, signal, redirect: "manual" };
  return watchdog.expect(doFetch(provider.apiUrl + path, init));
}

/**
 * Opens the body of a response, and decompresses it if the provider compressed it unasked.
 *
 * @param slot is enlarged once, after the first 64 KiB.
 */
export function openBody(
  response: Response,
  watchdog: Watchdog,
  slot: Pick<Slot, "acquireLargeResponse">,
): Source {
  const { next: read, cancel } = readPieces(response);
  let bytes = 0;
  let hasWaited = false;
  async function next() {
    const piece = await watchdog.expect(read()).catch((thrown) => {
      // A provider that had to wait may have broken the connection for that, which shows behind what was on its way.
      const isOurs = hasWaited && thrown instanceof CallFailure && thrown.code === "upstream_error";
      throw isOurs ? answersWait() : thrown;
    });
    const wasSmall = bytes < SMALL_BYTES;
    bytes += piece?.length ?? 0;
    if (wasSmall && bytes >= SMALL_BYTES) hasWaited = await watchdog.acquireLargeResponse(slot);
    return piece;
  }
  return { next, cancel, response };
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
function readPieces(response: Response): Source {
  const { body } = response;
  if (body === null) return sourceOf(NO_BYTES);
  const unzipped = decompressed(response, body);
  if (unzipped !== null) {
    const reader = unzipped.getReader();
    return {
      next: async () => (await reader.read()).value ?? null,
      cancel: () => cancelled(reader),
    };
  }
  /** The number of remaining bytes; null if it is unknown, or 0 from the start: the end is read then. */
  let left = lengthOf(response) || null;
  const reader = body.getReader({ mode: "byob" });
  // Deno's own reads allocate 64 KiB each, even at the end: at a thousand responses at once that is a
  // quarter of an isolate's memory.
  let usual = PIECE_BYTES;
  async function next() {
    if (left === 0) return null;
    const size = left === null ? usual : Math.min(left, MAX_PIECE_BYTES);
    const { done, value } = await reader.read(new Uint8Array(size));
    if (done || value === undefined) return null;
    if (left !== null) left -= value.length;
    // Reading to the end would take another turn of the event loop, a tenth of a search's time.
    if (left === 0) await cancelled(reader);
    // V8 is slow to collect small buffers: 1 GB read in small pieces leaves 20 MB of garbage.
    usual = value.length < PIECE_BYTES ? PIECE_BYTES : MAX_PIECE_BYTES;
    return value;
  }
  return { next, cancel: () => cancelled(reader) };
}

/** The length that a response announces; null if it announces none or is compressed. */
export function lengthOf({ headers }: Response): number | null {
  const length = headers.get("content-length") ?? "";
  return /^\d{1,15}$/.test(length) && !headers.has("content-encoding") ? Number(length) : null;
}

/**
 * Reads on until there are `bytes` bytes or the body ends.
 *
 * @returns the bytes, and whether the body has no more.
 * @throws {CallFailure} as the source does.
 */
export async function readAhead(source: Source, bytes: number) {
  const ahead = collectBytes();
  while (ahead.length < bytes) {
    const piece = await source.next();
    if (piece === null) return { bytes: ahead.take(), isAll: true };
    ahead.push(piece);
  }
  return { bytes: ahead.take(), isAll: false };
}

/** Cancels a body. A failure, as on a broken connection, has no consequence. */
export async function cancelled(body: { cancel(): Promise<void> } | null): Promise<void> {
  await body?.cancel().catch(() => {});
}

/** The body, decompressed if the provider ignored `Accept-Encoding`; null if it is not compressed. */
function decompressed({ headers }: Response, body: NonNullable<Response["body"]>) {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding === "identity") return null;
  const format = encoding === "x-gzip" ? "gzip" : encoding;
  if (format === "gzip" || format === "deflate") {
    return body.pipeThrough(new DecompressionStream(format));
  }
  void cancelled(body);
  throw invalidResponse("a response in a compression that it was not asked for");
}
