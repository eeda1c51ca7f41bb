/**
 * One call of a provider. The request is sent with the service's key and only the headers that the provider needs.
 * The response reaches the caller byte for byte: a small one when it is whole, a large one as it arrives, while a
 * meter reads its cost from a copy.
 */

import { PublicError } from "../../platform/http/errors.ts";
import { createResponse } from "../../platform/http/representation.ts";
import type { Platform } from "../../platform/platform.ts";
import type { StartTimer } from "../../platform/timeout.ts";
import {
  CallFailure,
  describeFailure,
  FREE,
  invalidResponse,
  mayPass,
  refused,
  UNKNOWN,
} from "./failure.ts";
import type { Slot } from "./in_flight.ts";
import { answerKind, createMeter, readWhole, textOf } from "./meter.ts";
import type { ParsedUsage } from "./provider.ts";
import {
  cancelled,
  lengthOf,
  openBody,
  readAhead,
  send,
  SMALL_BYTES,
  type Source,
  sourceOf,
  type UpstreamRequest,
  Watchdog,
} from "../upstream.ts";
import { waitHeaders } from "../wait.ts";

/** A request that may be sent. */
interface Call extends UpstreamRequest {
  /** Fires when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Its place, which is released when its response has been sent or dropped. */
  readonly slot: Pick<Slot, "acquireLargeResponse" | "release">;
  readonly observer: CallObserver;
}

/** The head of the caller's response, without the service's own headers. */
interface Down {
  readonly status: number;
  readonly headers: Record<string, string>;
}

/** How a call ended. */
export interface Outcome extends ParsedUsage {
  /** The status that the caller got. */
  readonly status: number;
  /** Why the response was cut off after its head was sent. */
  readonly brokenBy?: Error | "caller";
}

/** Watches a call. */
export interface CallObserver {
  /** Foyer's own headers for the response, made when it begins. */
  headers(): Readonly<Record<string, string>>;
  /** The call is over; a `cost` of null is unknown. Only the first outcome counts. */
  finish(outcome: Outcome): void;
  /**
   * More of a long response has arrived.
   *
   * @throws {CallFailure} if it takes longer than its reservation may last.
   */
  progress(): void;
}

/** The dependencies of {@linkcode createForwarder}. */
interface ForwarderOptions extends Pick<Platform, "fetch" | "startLimit" | "now"> {
  readonly timeoutSeconds: number;
}

/** JSON up to this size is read whole first, so that a truncated response becomes an error. */
export const WHOLE_BYTES = 256 * 1024;
/** A caller who reads nothing for this long is disconnected, because it occupies a connection to the provider. */
const CALLER_PATIENCE_MILLISECONDS = 120_000;
const MAX_REWRITTEN_BYTES = 16 * 1024 * 1024;
/** The largest body of an error: some errors repeat the request's body. */
const MAX_ERROR_BYTES = 4 * 1024 * 1024;
/** Statuses about the service's own account with the provider. */
const OUR_ACCOUNT = new Set([401, 402, 403]);

/** Makes the function that calls providers. */
export function createForwarder({ fetch, timeoutSeconds, startLimit, now }: ForwarderOptions) {
  const follow = createMeter();

  /** Passes on a body that is there: a large one in pieces, so that its place is kept until they are taken. */
  function passWhole(
    call: Call,
    { status, headers }: Down,
    bytes: Uint8Array<ArrayBuffer>,
  ): Response {
    const { slot } = call;
    if (bytes.length < SMALL_BYTES) {
      slot.release();
      return respond(call, { status, headers }, bytes);
    }
    const body = sendDown(null, sourceOf(bytes), startLimit, () => {}, () => {
      slot.release();
      return true;
    });
    const sized = { ...headers, "content-length": String(bytes.length) };
    return respond(call, { status, headers: sized }, body);
  }

  /** Passes on a JSON answer that is there, once its cost is known. */
  function passJson(call: Call, answer: Down, begun: Uint8Array<ArrayBuffer>): Response {
    const { provider, observer, apiKey } = call;
    const bytes = provider.rewriteAnswer?.(begun) ?? begun;
    const text = textOf(bytes);
    const reading = readWhole(provider, text);
    if (reading === null) throw invalidResponse("a response that is not JSON");
    if (hasKey(text, apiKey)) {
      throw invalidResponse("a response that repeats the service's key", reading);
    }
    observer.finish({ ...reading, status: answer.status });
    return passWhole(call, answer, bytes);
  }

  /** Passes on the rest of a body as it arrives, while a meter reads its cost. */
  function passAsItArrives(
    call: Call,
    answer: Down,
    kind: Parameters<typeof follow>[1],
    begun: Uint8Array<ArrayBuffer>,
    source: Source,
  ): Response {
    const { provider, observer, slot } = call;
    const meter = follow(provider, kind);
    meter.push(begun);
    const stream = sendDown(begun, source, startLimit, (piece) => {
      meter.push(piece);
      observer.progress();
    }, (thrown) => {
      // Every end charges the cost that the response stated, or else the reservation.
      const { reading: read, isCut } = meter.end();
      const cut = thrown ?? (isCut ? invalidResponse("a truncated response") : null);
      // Nothing is charged for a wait for memory of this service's own.
      const isOurs = thrown instanceof PublicError;
      const reading = isOurs ? { ...read, cost: read.cost ?? FREE.cost } : read;
      const brokenBy = cut === null ? undefined : breakOf(cut, call);
      observer.finish({ ...reading, status: answer.status, ...brokenBy && { brokenBy } });
      slot.release();
      return cut === null;
    });
    return respond(call, answer, stream);
  }

  async function exchange(call: Call): Promise<Response> {
    const { provider, observer, slot } = call;
    const watchdog = new Watchdog(call.signal, timeoutSeconds * 1000, startLimit);
    const answer = await send(fetch, call, watchdog);
    const { status } = answer;
    const wait = waitHeaders((name) => passed(call, answer, name), now());
    const down: Down = { status, headers: headersDown(call, answer, wait) };
    if (!answer.ok) {
      const { bytes, more, reading } = await readError(call, answer, wait, watchdog);
      observer.finish({ ...reading, status });
      return passWhole(call, { status, headers: { ...more, ...down.headers } }, bytes);
    }
    const kind = answerKind(answer.headers.get("content-type"));
    if (kind === null) {
      await cancelled(answer.body);
      throw invalidResponse("a response that is not JSON");
    }
    const length = lengthOf(answer) ?? 0;
    if (kind === "events") down.headers["x-accel-buffering"] = "no";
    if (kind === "json" && length > 0 && length < SMALL_BYTES) {
      // One read, which takes half the time of the pieces.
      return passJson(call, down, await watchdog.expect(answer.bytes()));
    }
    const source = openBody(answer, watchdog, slot);
    // Until these bytes are there, a failure can still be reported by a status.
    const isRewritten = kind === "json" && provider.rewriteAnswer !== undefined;
    const wholeBytes = isRewritten ? MAX_REWRITTEN_BYTES : WHOLE_BYTES;
    const { bytes: begun, isAll } = await readAhead(source, kind === "events" ? 1 : wholeBytes);
    if (!isAll && !isRewritten) {
      if (length > 0) down.headers["content-length"] = String(length);
      return passAsItArrives(call, down, kind, begun, source);
    }
    if (!isAll) {
      await source.cancel();
      throw invalidResponse("a response that is too long");
    }
    if (kind === "events") throw invalidResponse("an empty response");
    return passJson(call, down, begun);
  }

  /**
   * Calls a provider and resolves to the caller's response as soon as its first bytes are there.
   *
   * @throws {PublicError} if there is no response to pass on.
   */
  return function forward(call: Call): Promise<Response> {
    return exchange(call).catch((thrown) => {
      // The service's own memory was full.
      if (thrown instanceof PublicError) {
        call.observer.finish({ ...FREE, status: thrown.status });
        throw thrown;
      }
      if (!(thrown instanceof CallFailure)) {
        call.observer.finish({ ...UNKNOWN, status: 500 });
        throw thrown;
      }
      const { error, status } = describeFailure(thrown, call.provider);
      call.observer.finish({ ...thrown.reading, status });
      throw error;
    });
  };
}

/**
 * Reads an error that concerns the caller's request, has a JSON body, and does not repeat the service's
 * key. Any error is free unless it states a cost.
 *
 * @returns the body to pass on, further headers, and the figures to book.
 * @throws {CallFailure} for any other error.
 */
async function readError(
  call: Call,
  answer: Response,
  wait: ReturnType<typeof waitHeaders>,
  watchdog: Watchdog,
) {
  const { provider, slot, apiKey } = call;
  const { status, headers } = answer;
  if (answerKind(headers.get("content-type")) !== "json") {
    await cancelled(answer.body);
    throw refused(status, wait);
  }
  let bytes;
  try {
    const source = openBody(answer, watchdog, slot);
    const { bytes: all, isAll } = await readAhead(source, MAX_ERROR_BYTES + 1);
    if (!isAll) await source.cancel();
    bytes = isAll ? all : null;
  } catch (thrown) {
    // A body that cannot be read does not change the error.
    throw thrown instanceof CallFailure ? refused(status, wait) : thrown;
  }
  const text = bytes && textOf(bytes);
  const reading = text && readWhole(provider, text);
  if (!bytes || !text || !reading) throw refused(status, wait);
  const isTheCallers = (status >= 400 && status < 500 && !OUR_ACCOUNT.has(status)) ||
    status === 529;
  if (!isTheCallers || hasKey(text, apiKey)) {
    throw refused(status, wait, reading);
  }
  return {
    bytes: provider.rewriteAnswer?.(bytes) ?? bytes,
    more: { "x-refused-by": "upstream", ...mayPass(status) },
    reading: { ...reading, cost: reading.cost ?? FREE.cost },
  };
}

/** Whether a JSON text contains a key, also with escaped characters. */
function hasKey(text: string, apiKey: string): boolean {
  if (text.includes(apiKey)) return true;
  if (!text.includes("\\u00") && !text.includes("\\/")) return false;
  const plain = text.replaceAll(
    /\\(?:u00([2-7][\da-f])|\/)/gi,
    (_, hex) => hex === undefined ? "/" : String.fromCharCode(parseInt(hex, 16)),
  );
  return plain.includes(apiKey);
}

/** A header of the provider's; null if it has none, or one that repeats the service's key. */
function passed({ apiKey }: Call, { headers }: Response, name: string): string | null {
  const value = headers.get(name);
  return value?.includes(apiKey) ? null : value;
}

/**
 * A body as it arrives, read no faster than the caller reads, and dropped if the caller reads nothing for long.
 *
 * @param begun the beginning, if it was read before.
 * @param passing gets each further piece.
 * @param end is told the end of the body once: null if it is sent, `"caller"` if the caller ended it, or the failure that
 *   cut it off; it says whether a body that was sent is whole.
 */
function sendDown(
  begun: Uint8Array<ArrayBuffer> | null,
  source: Source,
  startLimit: StartTimer,
  passing: (piece: Uint8Array<ArrayBuffer>) => void,
  end: (thrown: unknown) => boolean,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let stopLimit = () => {};
  let isOver = false;
  function over(thrown: unknown): boolean {
    // The caller may disconnect while the last bytes arrive.
    if (isOver) return false;
    isOver = true;
    return end(thrown);
  }
  const expectCaller = (controller: ReadableStreamDefaultController) => {
    stopLimit = startLimit(() => {
      over("caller");
      controller.error("The caller read nothing for too long.");
      void source.cancel();
    }, CALLER_PATIENCE_MILLISECONDS);
  };
  // The status is sent already, so the connection breaks. Deno prints this reason.
  const cutOff = (controller: ReadableStreamDefaultController) =>
    controller.error("The response was cut off; the log says why.");
  return new ReadableStream({
    start(controller) {
      if (begun !== null) controller.enqueue(begun);
      expectCaller(controller);
    },
    async pull(controller) {
      stopLimit();
      try {
        const piece = await source.next();
        if (piece === null) return over(null) ? controller.close() : cutOff(controller);
        passing(piece);
        controller.enqueue(piece);
        expectCaller(controller);
      } catch (thrown) {
        over(thrown);
        cutOff(controller);
        void source.cancel();
      }
    },
    cancel() {
      stopLimit();
      over("caller");
      return source.cancel();
    },
  }, { highWaterMark: 0 });
}

/** Why a response was cut off, for the log. */
function breakOf(thrown: unknown, { provider }: Call): Error | "caller" {
  if (thrown === "caller") return thrown;
  if (thrown instanceof PublicError) return thrown;
  if (!(thrown instanceof CallFailure)) {
    return new Error("the response was cut off", { cause: thrown });
  }
  return thrown.code === null ? "caller" : describeFailure(thrown, provider).error;
}

/** The provider's headers that the caller gets; no hop-by-hop header (RFC 9110, section 7.6.1) is among them. */
function headersDown(call: Call, answer: Response, wait: ReturnType<typeof waitHeaders>) {
  const headers: Record<string, string> = { ...wait };
  for (const name of ["content-type", ...call.provider.headersDown ?? []]) {
    const value = passed(call, answer, name);
    if (value !== null) headers[name] = value;
  }
  return headers;
}

/** The response as the caller gets it. */
function respond(call: Call, { status, headers }: Down, body: BodyInit): Response {
  const all = { ...call.observer.headers(), "cache-control": "no-store", ...headers };
  return createResponse(body, all, status);
}
