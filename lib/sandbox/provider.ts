// The common part of the providers' stand-ins: faults, a record of requests and charges, a response that knows
// whether it was read. The rules of each are in the file of its name, such as `websearch.ts`.

import { answerCaller, ConnectionReset } from "./connection.ts";
import { controlFaults } from "./fault_plan.ts";
import type { Provider, ProviderRequest } from "./provider_answer.ts";
import {
  createProviderFaultPlan,
  type Outgoing,
  plainly,
  type ProviderFault,
  providerFaultSchema,
  withFault,
} from "./provider_faults.ts";

export type { ProviderFault } from "./provider_faults.ts";

/** The options of a provider's stand-in. */
export interface ProviderOptions {
  /** The only key that it accepts. */
  readonly apiKey: string;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** A request that the stand-in has read to its end; those to `/sandbox/` are not among them. */
interface RecordedRequest {
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /**
   * `aborted` if the caller disconnected before the last byte was handed over, else `complete`, with any fault. Bytes
   * that were handed over may not have arrived yet.
   */
  readonly ended: Promise<"complete" | "aborted">;
  /** The bytes of the body made until now. */
  readonly producedBytes: number;
}

const KEPT_REQUESTS = 10_000;

/** A running stand-in for a provider. */
export type ProviderStandIn = ReturnType<typeof createProviderStandIn>;

/** Starts a stand-in that answers by `provider`. It listens nowhere: serve `fetch`. */
export function createProviderStandIn(
  provider: Provider,
  { now }: ProviderOptions,
) {
  const faults = createProviderFaultPlan();
  const requests: RecordedRequest[] = [];
  const charges = new Map<string, bigint>();
  let active = 0;
  let count = 0;

  /** The response. Throws if the connection breaks or the caller disconnects. */
  async function respond(request: Request): Promise<Response> {
    const { pathname, search, searchParams } = new URL(request.url);
    if (pathname === "/sandbox/faults") {
      return await controlFaults(request, faults, providerFaultSchema);
    }

    const body = await request.bytes();
    const at = now();
    const exchange = createExchange(request.signal, () => active--);
    active++;
    requests.push({
      method: request.method,
      path: pathname + search,
      headers: Object.fromEntries(request.headers),
      body,
      ended: exchange.ended,
      get producedBytes() {
        return exchange.producedBytes;
      },
    });
    if (requests.length > KEPT_REQUESTS) requests.shift();

    const { method, headers } = request;
    const id = `sandbox-${String(++count).padStart(8, "0")}`;
    try {
      const fault = faults.take(null);
      const seen = { id, at, method, path: pathname, query: searchParams, headers, body };
      const answer = answerTo(seen, fault);
      return exchange.send(
        fault ? await withFault(fault, answer, pathname, exchange.gone) : plainly(answer),
      );
    } catch (error) {
      exchange.end(request.signal.aborted ? "aborted" : "complete");
      throw error;
    }
  }

  function answerTo(request: ProviderRequest, fault: ProviderFault | undefined) {
    if (fault?.kind === "status") {
      const refusal = provider.refuse(fault.status, request);
      if (fault.retryAfterSeconds === undefined) return refusal;
      const retryAfter = { "Retry-After": String(fault.retryAfterSeconds) };
      return { ...refusal, headers: { ...refusal.headers, ...retryAfter } };
    }
    const isOfCost = fault?.kind === "cost" || fault?.kind === "missing-cost";
    const answer = provider.answer(request, isOfCost ? fault : undefined);
    if (answer.chargeNanoUsd > 0n && fault?.kind !== "redirect") {
      const payer = request.headers.get("x-request-id") ?? request.id;
      charges.set(payer, (charges.get(payer) ?? 0n) + answer.chargeNanoUsd);
    }
    return answer;
  }

  return {
    /** A handler for `serveStandIn`, or for `Deno.serve`, where a reset is a body that is cut off. */
    fetch: (request: Request) => answerCaller(request, respond, "foyer"),
    faults,
    /** The last 10,000, oldest first. */
    requests,
    /**
     * Nano-dollars by the caller's `x-request-id`; by the stand-in's own id for callers that sent none. A repeated id
     * is charged twice. A charge is made once the response is computed, before any of it is sent. So callers also pay
     * for responses that a fault then withholds, except for status faults and redirects. A `cost` fault charges its
     * figure, if that is a number.
     */
    charges,
    /** How many requests have not ended. */
    get active(): number {
      return active;
    },
  };
}

/** Begins an exchange; `signal` fires when the caller disconnects, and `onEnd` is called once. */
function createExchange(signal: AbortSignal, onEnd: () => void) {
  const { promise: ended, resolve } = Promise.withResolvers<"complete" | "aborted">();
  const gone = new AbortController();
  let isOver = false;
  let producedBytes = 0;

  /** Ends it; only the first call counts. */
  function end(how: "complete" | "aborted"): void {
    if (isOver) return;
    isOver = true;
    signal.removeEventListener("abort", leave);
    resolve(how);
    onEnd();
    if (how === "aborted") gone.abort(signal.reason);
  }
  // Without `no-legacy-abort` Deno's signal also fires after a good answer; the exchange is over then.
  const leave = () => end("aborted");
  signal.addEventListener("abort", leave);
  if (signal.aborted) leave();

  return {
    /** Fires when the caller disconnects before the end. */
    gone: gone.signal,
    ended,
    get producedBytes(): number {
      return producedBytes;
    },
    end,
    /** The response, whose body ends the exchange when it has been handed over. */
    send({ status, headers, chunks, length }: Outgoing): Response {
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          try {
            gone.signal.throwIfAborted();
            const { value } = await chunks.next();
            if (value !== undefined) {
              producedBytes += value.length;
              controller.enqueue(value);
              // With an announced length, the reader requests no more than that.
              if (producedBytes !== length) return;
            }
            end("complete");
            controller.close();
          } catch (error) {
            end(error instanceof ConnectionReset ? "complete" : "aborted");
            controller.error(error);
          }
        },
        cancel: leave,
      }, { highWaterMark: 0 });
      const sent = new Headers(headers);
      if (length !== undefined) sent.set("Content-Length", String(length));
      // Deno.serve would compress for callers that can read it, and the sizes of chunks would be its own.
      sent.set("Cache-Control", "no-store, no-transform");
      return new Response(body, { status, headers: sent });
    },
  };
}
