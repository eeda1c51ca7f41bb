/**
 * One call of a provider. The request goes up with our key and nothing of the caller's that it does not
 * need; the answer comes down byte for byte as it arrives, and its cost is read on the side.
 */

import { createAnswer } from "../http/mod.ts";
import { CallFailure, describeFailure, FREE, RETRY_SECONDS, UNKNOWN } from "./failure.ts";
import { answerKind, createMeter, type Meter } from "./meter.ts";
import type { Provider, Reading } from "./provider.ts";
import { cancelled, lengthOf, openBody, readAhead, readAll, type Source } from "./upstream_body.ts";
import { createWatchdog, type Watchdog } from "./watchdog.ts";

/** A request that was admitted. */
export interface Call {
  readonly provider: Provider;
  readonly apiKey: string;
  /** The provider's path, such as `/search`. */
  readonly path: string;
  readonly body: Uint8Array<ArrayBuffer>;
  /** The caller's headers. */
  readonly headers: Headers;
  /** Fires when the caller goes. */
  readonly signal: AbortSignal;
  readonly requestId: string;
  /** Headers of our own for the answer, made when it begins. */
  readonly ownHeaders: () => Readonly<Record<string, string>>;
}

/** How a call ended. */
export interface Outcome extends Reading {
  /** The status that the caller got. */
  readonly status: number;
  /** Why the answer broke off after its head was sent. */
  readonly brokenBy?: Error | "caller";
}

/** What watches a call. */
export interface CallObserver {
  /** The call is over; called exactly once, whatever comes. A `cost` of null is not known. */
  finish(outcome: Outcome): void;
  /** More of a long answer has come. */
  progress(): void;
}

/** What {@linkcode createForwarder} needs. */
interface ForwarderOptions {
  readonly fetch: typeof fetch;
  readonly timeoutSeconds: number;
}

/**
 * Calls a provider and resolves to what the caller gets as soon as its first bytes are there.
 *
 * @throws {PublicError} if there is no answer to pass on.
 */
type Forwarder = (call: Call, observer: CallObserver) => Promise<Response>;

/** JSON up to this size is read whole before it is passed on, so that a cut answer is an error, not a half. */
const WHOLE_BYTES = 256 * 1024;
/** A caller who reads nothing for so long is given up: it holds a connection of the provider. */
const CALLER_PATIENCE_MILLISECONDS = 120_000;
const MAX_REWRITTEN_BYTES = 16 * 1024 * 1024;
/** Some errors repeat the request's body. */
const MAX_ERROR_BYTES = 4 * 1024 * 1024;
/**
 * The only headers that go down from any provider; hop-by-hop headers (RFC 9110, 7.6.1) are not among
 * them.
 */
const HEADERS_DOWN = ["content-type", "retry-after", "retry-after-ms", "x-should-retry"];

/** Makes the function that calls providers. */
export function createForwarder({ fetch, timeoutSeconds }: ForwarderOptions): Forwarder {
  return async function forward(call, given) {
    const observer = finishOnce(given);
    const watchdog = createWatchdog(call.signal, timeoutSeconds * 1000);
    try {
      const answer = await send(fetch, call, watchdog);
      return answer.ok
        ? await passAnswer(call, answer, openBody(answer, watchdog), observer)
        : await passError(call, answer, watchdog, observer);
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

/** Passes on the first end only: two may coincide, as when a caller leaves while the last bytes arrive. */
function finishOnce(observer: CallObserver): CallObserver {
  let isFinished = false;
  return {
    progress: () => observer.progress(),
    finish(outcome) {
      if (!isFinished) observer.finish(outcome);
      isFinished = true;
    },
  };
}

async function send(doFetch: typeof fetch, call: Call, watchdog: Watchdog): Promise<Response> {
  const { provider, path, body, headers: given, requestId } = call;
  if (watchdog.ended !== null) throw new CallFailure("unsent");
  // No `Headers`, which `fetch` would sort and check anew.
  const headers: Record<string, string> = {
    "content-type": given.get("content-type") ?? "application/json",
    "accept": given.get("accept") ?? "*/*",
    // Otherwise `fetch` asks for compression, and hands down a body that fits none of its headers.
    "accept-encoding": "identity",
    "user-agent": "foyer",
    "x-request-id": requestId,
    ...provider.authorization(call.apiKey),
  };
  if (provider.passesOn !== null) {
    for (const [name, value] of given) {
      if (provider.passesOn(name)) headers[name] = value;
    }
  }
  const { signal } = watchdog;
  watchdog.expect();
  try {
    // A Blob: Deno 2.9.6 sends bytes a second time when a connection that was kept open breaks.
    const init = {
      method: "POST",
      headers,
      body: new Blob([body]),
      signal,
      redirect: "manual",
    } as const;
    return await doFetch(provider.apiUrl + path, init);
  } catch (cause) {
    const reason = cause instanceof Error ? String(cause.cause) : "";
    const isSent = !reason.includes("client error (Connect)");
    throw new CallFailure(watchdog.ended ?? { kind: isSent ? "broken" : "unreachable", cause });
  } finally {
    watchdog.rest();
  }
}

/** Passes an error on if it is about the caller's request, and its body is for clients to read. */
async function passError(
  call: Call,
  answer: Response,
  watchdog: Watchdog,
  observer: CallObserver,
): Promise<Response> {
  const { provider } = call;
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
  // Section 7 of the contract: the caller waits for the time in it, or shortly.
  const mustWait = (status === 429 || status === 529) && !headers.has("retry-after");
  return respond(call, answer, provider.rewriteAnswer?.(bytes) ?? bytes, {
    "x-refused-by": "upstream",
    ...mustWait && { "retry-after": RETRY_SECONDS },
  });
}

/** An error's body; null if it cannot be read, which changes nothing about its cost. */
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

/** Statuses about the service's own account with the provider. */
const OUR_ACCOUNT = new Set([401, 402, 403]);

async function passAnswer(
  call: Call,
  answer: Response,
  source: Source,
  observer: CallObserver,
): Promise<Response> {
  const { provider } = call;
  const { status } = answer;
  const kind = answerKind(answer.headers.get("content-type"));
  if (kind === null) {
    await source.cancel();
    throw nonsense("an answer that is not JSON");
  }
  const meter = createMeter(provider, kind);
  const passWhole = (bytes: Uint8Array<ArrayBuffer>) => {
    if (!meter.isWhole()) throw nonsense("an answer that is not JSON", meter.read());
    observer.finish({ ...meter.read(), status });
    return respond(call, answer, bytes);
  };
  if (kind === "json" && provider.rewriteAnswer !== null) {
    const bytes = provider.rewriteAnswer(await readAll(source, MAX_REWRITTEN_BYTES));
    meter.push(bytes);
    return passWhole(bytes);
  }
  // Until these bytes are there, a failure can still be told by a status.
  const metered = meteredBy(meter, source);
  const { bytes: begun, isAll } = await readAhead(metered, kind === "json" ? WHOLE_BYTES : 1);
  if (isAll && kind === "json") return passWhole(begun);
  if (isAll) throw nonsense("an empty answer");
  const length = lengthOf(answer);
  const isCut = () => kind === "json" && !meter.isWhole();
  const stream = { provider, begun, source: metered, meter, isCut, observer, status };
  return respond(call, answer, streamDown(stream), {
    ...length !== null && { "content-length": String(length) },
  });
}

/** The source with its pieces metered; a failure has what the meter read until then. */
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
  /** What was read already. */
  readonly begun: Uint8Array<ArrayBuffer>;
  readonly source: Source;
  readonly meter: Meter;
  /** Whether the answer, now that it has ended, is incomplete. */
  readonly isCut: () => boolean;
  readonly observer: CallObserver;
  readonly status: number;
}

/** The rest of an answer as it comes; read no faster than the caller reads. */
function streamDown(
  { provider, begun, source, meter, isCut, observer, status }: Stream,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  // However it ends, the cost that it has stated is charged, or else the reservation.
  const finish = (brokenBy?: Outcome["brokenBy"]) =>
    observer.finish({ ...meter.read(), status, ...(brokenBy !== undefined && { brokenBy }) });
  const fail = (controller: ReadableStreamDefaultController, thrown: unknown) => {
    finish(breakOf(thrown, provider));
    // The status is sent: a broken connection is all that can tell the caller. Deno prints the reason.
    controller.error("An answer broke off; the log says why.");
  };
  let pending: Uint8Array<ArrayBuffer> | null = begun;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expectCaller = (controller: ReadableStreamDefaultController) => {
    timer = setTimeout(() => {
      finish("caller");
      controller.error("The caller took nothing for too long.");
      void source.cancel();
    }, CALLER_PATIENCE_MILLISECONDS);
  };
  return new ReadableStream({
    start: expectCaller,
    async pull(controller) {
      clearTimeout(timer);
      try {
        const piece = pending ?? await source.next();
        pending = null;
        if (piece !== null) {
          observer.progress();
          controller.enqueue(piece);
          expectCaller(controller);
          return;
        }
        if (isCut()) return fail(controller, nonsense("half an answer"));
        finish();
        controller.close();
      } catch (thrown) {
        fail(controller, thrown);
      }
    },
    cancel() {
      clearTimeout(timer);
      finish("caller");
      return source.cancel();
    },
  }, { highWaterMark: 0 });
}

/** For the log: what ended an answer half-way. */
function breakOf(thrown: unknown, provider: Provider): Error | "caller" {
  if (!(thrown instanceof CallFailure)) return new Error("the answer broke", { cause: thrown });
  return thrown.reason === "aborted" ? "caller" : describeFailure(thrown, provider).error;
}

/** The provider's answer as the caller gets it. */
function respond(
  { provider, ownHeaders }: Call,
  { status, headers: given }: Response,
  body: BodyInit,
  more: Readonly<Record<string, string>> = {},
): Response {
  const headers: Record<string, string> = { "cache-control": "no-store", ...ownHeaders(), ...more };
  for (const name of [...HEADERS_DOWN, ...provider.headersDown]) {
    const value = given.get(name);
    if (value !== null) headers[name] = value;
  }
  return createAnswer(body, headers, status);
}

function nonsense(what: string, reading?: Reading): CallFailure {
  return new CallFailure({ kind: "nonsense", what }, reading);
}
