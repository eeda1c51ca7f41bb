/**
 * One call of a provider. The request is sent with the service's key and only the headers that the provider needs.
 * The response reaches the caller byte for byte as it arrives, and a meter reads its cost from a copy.
 */

import { createResponse } from "../platform/http/representation.ts";
import { startRealTimer, type StartTimer } from "../platform/timeout.ts";
import { CallFailure, describeFailure, FREE, RETRY_SECONDS, UNKNOWN } from "./failure.ts";
import { answerKind, createMeter, type Meter } from "./meter.ts";
import type { Provider, Reading } from "./provider.ts";
import {
  cancelled,
  createWatchdog,
  lengthOf,
  openBody,
  readAhead,
  readAll,
  send,
  type Source,
  type UpstreamRequest,
  type Watchdog,
} from "./upstream.ts";

/** A request that may be sent. */
interface Call extends UpstreamRequest {
  /** Fires when the caller disconnects. */
  readonly signal: AbortSignal;
  readonly observer: CallObserver;
}

/** How a call ended. */
export interface Outcome extends Reading {
  /** The status that the caller got. */
  readonly status: number;
  /** Why the response was cut off after its head was sent. */
  readonly brokenBy?: Error | "caller";
}

/** Watches a call. */
export interface CallObserver {
  /** Foyer's own headers for the response, made when it begins. */
  headers(): Readonly<Record<string, string>>;
  /** The call is over. Called exactly once, however the call ends; a `cost` of null is unknown. */
  finish(outcome: Outcome): void;
  /** More of a long response has arrived. */
  progress(): void;
}

/** The dependencies of {@linkcode createForwarder}. */
interface ForwarderOptions {
  readonly fetch: typeof fetch;
  readonly timeoutSeconds: number;
  /** Starts a time limit; a timer of the platform unless given. */
  readonly startLimit?: StartTimer;
}

/**
 * Calls a provider and resolves to the caller's response as soon as its first bytes are there.
 *
 * @throws {PublicError} if there is no response to pass on.
 */
type Forwarder = (call: Call) => Promise<Response>;

/** JSON up to this size is read whole first, so that a truncated response becomes an error. */
const WHOLE_BYTES = 256 * 1024;
/** A caller who reads nothing for this long is disconnected, because it occupies a connection to the provider. */
const CALLER_PATIENCE_MILLISECONDS = 120_000;
const MAX_REWRITTEN_BYTES = 16 * 1024 * 1024;
/** The largest body of an error: some errors repeat the request's body. */
const MAX_ERROR_BYTES = 4 * 1024 * 1024;
/**
 * The headers that every provider's response keeps; no hop-by-hop header (RFC 9110, section 7.6.1) is
 * among them.
 */
const HEADERS_DOWN = ["content-type", "retry-after", "retry-after-ms", "x-should-retry"];
/** Statuses about the service's own account with the provider. */
const OUR_ACCOUNT = new Set([401, 402, 403]);

/** Makes the function that calls providers. */
export function createForwarder(
  { fetch, timeoutSeconds, startLimit = startRealTimer }: ForwarderOptions,
): Forwarder {
  return async function forward(given) {
    const watchdog = createWatchdog(given.signal, timeoutSeconds * 1000, startLimit);
    const observer = finishOnce(given.observer);
    const call = { ...given, observer };
    try {
      const answer = await send(fetch, call, watchdog);
      return answer.ok
        ? await passAnswer(call, answer, openBody(answer, watchdog), startLimit)
        : await passError(call, answer, watchdog);
    } catch (thrown) {
      if (!(thrown instanceof CallFailure)) {
        observer.finish({ ...UNKNOWN, status: 500 });
        throw thrown;
      }
      const { error, reading, status } = describeFailure(thrown, call.provider);
      observer.finish({ ...reading, status });
      throw error;
    }
  };
}

/** Reports the first end only: a caller may disconnect while the last bytes arrive. */
function finishOnce(observer: CallObserver): CallObserver {
  let isFinished = false;
  return {
    headers: () => observer.headers(),
    progress: () => observer.progress(),
    finish(outcome) {
      if (!isFinished) observer.finish(outcome);
      isFinished = true;
    },
  };
}

/** Passes on an error that concerns the caller's request and has a JSON body. */
async function passError(
  call: Call,
  answer: Response,
  watchdog: Watchdog,
): Promise<Response> {
  const { provider, observer } = call;
  const { status, headers } = answer;
  const refused = new CallFailure({ kind: "refused", status, headers });
  const isTheCallers = (status >= 400 && status < 500 && !OUR_ACCOUNT.has(status)) ||
    status === 529;
  if (!isTheCallers) {
    await cancelled(answer.body);
    throw refused;
  }
  const bytes = await readError(answer, watchdog);
  if (bytes === null) throw refused;
  const meter = createMeter(provider, "json");
  meter.push(bytes);
  if (answerKind(headers.get("content-type")) !== "json" || !meter.isWhole()) throw refused;
  const reading = meter.read();
  observer.finish({ ...reading, cost: reading.cost ?? FREE.cost, status });
  // The caller waits for `Retry-After`. If the provider sends none, the wait is short.
  const mustWait = (status === 429 || status === 529) && !headers.has("retry-after");
  return respond(call, answer, provider.rewriteAnswer?.(bytes) ?? bytes, {
    "x-refused-by": "upstream",
    ...mustWait && { "retry-after": RETRY_SECONDS },
  });
}

/** An error's body; null if it cannot be read, which does not change its cost. */
async function readError(
  answer: Response,
  watchdog: Watchdog,
): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    return await readAll(openBody(answer, watchdog), MAX_ERROR_BYTES);
  } catch (thrown) {
    if (thrown instanceof CallFailure) return null;
    throw thrown;
  }
}

async function passAnswer(
  call: Call,
  answer: Response,
  source: Source,
  startLimit: StartTimer,
): Promise<Response> {
  const { provider, observer } = call;
  const { status } = answer;
  const kind = answerKind(answer.headers.get("content-type"));
  if (kind === null) {
    await source.cancel();
    throw nonsense("a response that is not JSON");
  }
  const meter = createMeter(provider, kind);
  const passWhole = (bytes: Uint8Array<ArrayBuffer>) => {
    if (!meter.isWhole()) throw nonsense("a response that is not JSON", meter.read());
    observer.finish({ ...meter.read(), status });
    return respond(call, answer, bytes);
  };
  if (kind === "json" && provider.rewriteAnswer !== null) {
    const bytes = provider.rewriteAnswer(await readAll(source, MAX_REWRITTEN_BYTES));
    meter.push(bytes);
    return passWhole(bytes);
  }
  // Until these bytes are there, a failure can still be reported by a status.
  const metered = meteredBy(meter, source);
  const { bytes: begun, isAll } = await readAhead(metered, kind === "json" ? WHOLE_BYTES : 1);
  if (isAll && kind === "json") return passWhole(begun);
  if (isAll) throw nonsense("an empty response");
  const length = lengthOf(answer);
  const isCut = () => kind === "json" && !meter.isWhole();
  const stream = { provider, begun, source: metered, meter, isCut, observer, status, startLimit };
  return respond(call, answer, streamDown(stream), {
    ...length !== null && { "content-length": String(length) },
  });
}

/** Meters each piece of a source; a failure carries the reading so far. */
function meteredBy(meter: Meter, source: Source): Source {
  return {
    async next() {
      try {
        const piece = await source.next();
        if (piece !== null) meter.push(piece);
        return piece;
      } catch (thrown) {
        throw thrown instanceof CallFailure ? new CallFailure(thrown.reason, meter.read()) : thrown;
      }
    },
    cancel: () => source.cancel(),
  };
}

interface Stream {
  readonly provider: Provider;
  /** The bytes that were read already. */
  readonly begun: Uint8Array<ArrayBuffer>;
  readonly source: Source;
  readonly meter: Meter;
  /** Whether a response that has ended is incomplete. */
  readonly isCut: () => boolean;
  readonly observer: CallObserver;
  readonly status: number;
  readonly startLimit: StartTimer;
}

/** The response as it arrives, read no faster than the caller reads. */
function streamDown(
  { provider, begun, source, meter, isCut, observer, status, startLimit }: Stream,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  // Every end charges the cost that the response stated, or else the reservation.
  const finish = (brokenBy?: Outcome["brokenBy"]) =>
    observer.finish({ ...meter.read(), status, ...(brokenBy !== undefined && { brokenBy }) });
  const fail = (controller: ReadableStreamDefaultController, thrown: unknown) => {
    finish(breakOf(thrown, provider));
    // The status is sent already, so the connection breaks. Deno prints this reason.
    controller.error("The response was cut off; the log says why.");
  };
  let pending: Uint8Array<ArrayBuffer> | null = begun;
  let stopLimit = () => {};
  const expectCaller = (controller: ReadableStreamDefaultController) => {
    stopLimit = startLimit(() => {
      finish("caller");
      controller.error("The caller read nothing for too long.");
      void source.cancel();
    }, CALLER_PATIENCE_MILLISECONDS);
  };
  return new ReadableStream({
    start: expectCaller,
    async pull(controller) {
      stopLimit();
      try {
        const piece = pending ?? await source.next();
        pending = null;
        if (piece !== null) {
          observer.progress();
          controller.enqueue(piece);
          expectCaller(controller);
          return;
        }
        if (isCut()) return fail(controller, nonsense("a truncated response"));
        finish();
        controller.close();
      } catch (thrown) {
        fail(controller, thrown);
      }
    },
    cancel() {
      stopLimit();
      finish("caller");
      return source.cancel();
    },
  }, { highWaterMark: 0 });
}

/** Why a response was cut off, for the log. */
function breakOf(thrown: unknown, provider: Provider): Error | "caller" {
  if (!(thrown instanceof CallFailure)) {
    return new Error("the response was cut off", { cause: thrown });
  }
  return thrown.reason === "aborted" ? "caller" : describeFailure(thrown, provider).error;
}

/** The provider's response as the caller gets it. */
function respond(
  { provider, observer }: Call,
  { status, headers: given }: Response,
  body: BodyInit,
  more: Readonly<Record<string, string>> = {},
): Response {
  const headers: Record<string, string> = {
    "cache-control": "no-store",
    ...observer.headers(),
    ...more,
  };
  for (const name of [...HEADERS_DOWN, ...provider.headersDown]) {
    const value = given.get(name);
    if (value !== null) headers[name] = value;
  }
  return createResponse(body, headers, status);
}

function nonsense(what: string, reading?: Reading): CallFailure {
  return new CallFailure({ kind: "nonsense", what }, reading);
}
