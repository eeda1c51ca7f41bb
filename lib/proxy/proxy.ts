/**
 * A proxied request from its arrival to its settlement. `forward` checks in this order: capacity, key, account,
 * endpoint, type and size, JSON, validation, price, rate limit, spending limit. Then it calls the provider.
 */

import type { Authenticator, Caller } from "../accounts/authenticate.ts";
import { dailyLimitOf } from "../accounts/account.ts";
import { RefusedCaller } from "../accounts/refusal.ts";
import type { Admission, Refusal } from "./ledger/transitions.ts";
import { type Ledger, LONGEST_RESERVATION_SECONDS } from "./ledger/ledger.ts";
import type { RefusedRequest } from "./records/refusal.ts";
import type { Config } from "../platform/config/config.ts";
import { createBodyReader } from "../platform/http/body.ts";
import { databaseDown, isBusy, PublicError, toPublicError } from "../platform/http/errors.ts";
import { searchOf } from "../platform/address.ts";
import { setHeaders } from "../platform/http/representation.ts";
import type { JsonObject } from "../platform/json.ts";
import { NewerVersionError } from "../platform/kv/write.ts";
import { formatUsd } from "../platform/money.ts";
import type { ServerInfo } from "../platform/http/wire.ts";
import type { RequestNotes } from "../platform/log.ts";
import type { Platform } from "../platform/platform.ts";
import { createDecisionEndpoints } from "./decision.ts";
import { withoutOwnNames } from "./decision_request.ts";
import { timedOut } from "./internal/failure.ts";
import { type CallObserver, createForwarder } from "./internal/forward.ts";
import { createInFlight, type Slot } from "./internal/in_flight.ts";
import {
  createRefusalPause,
  type DailyLimits,
  openRefusal,
  rateHeaders,
  rateRefusal,
  spendingRefusal,
  spendingWarning,
} from "./limits.ts";
import type { Models } from "./models.ts";
import { type Endpoint, requireKey } from "./internal/provider.ts";
import { parseRequestJson } from "./request_json.ts";
import { SingleBody } from "./upstream.ts";
import { getUsage } from "./usage.ts";
import { createWebsearchEndpoints } from "./websearch.ts";

/** Every endpoint that is forwarded, by its name in usage records; names are unique across providers. */
export function createEndpoints(config: Config) {
  return {
    ...createWebsearchEndpoints(config),
    ...createDecisionEndpoints(config),
  } satisfies Record<string, Endpoint>;
}

/** The name of an endpoint. */
export type EndpointName = keyof ReturnType<typeof createEndpoints>;

/** A request, its id, and the notes for its log line. */
export interface Incoming {
  readonly request: Request;
  readonly requestId: string;
  readonly notes: RequestNotes;
}

/** The names of the endpoints that a key may use. */
type Endpoints = "all" | readonly string[];

/** The dependencies of the proxy. */
interface ProxyOptions extends Pick<Platform, "fetch" | "now" | "sleep" | "startLimit"> {
  readonly config: Config;
  readonly authenticator: Authenticator;
  readonly ledger: Ledger;
  readonly models: Models;
  /** Notes a refused request of a known key. */
  readonly noteRefusal: (refused: RefusedRequest) => void;
}

/** The key and its account are checked again after a body that took longer than this. */
const SLOW_MILLISECONDS = 1_000;
/** The requests in flight of one process; an account gets at most half of them (`internal/in_flight.ts`). */
export const MAX_REQUESTS = 2_000;
/** The largest message that calls another tool than `decide`, or that does not say its length. */
const MAX_MESSAGE_BYTES = 64 * 1024;
/** The larger ones that one process reads at a time; each takes about ten times its bytes for a moment. */
const MAX_LARGE_MESSAGES = 8;
/** A small part of an isolate's 768 MB: parsed JSON takes a multiple of its bytes. */
const MAX_BODIES_BYTES = 128 * 1024 * 1024;
/** Another part of it: the answers of more than 64 KiB that one process passes on at a time, up to 1 MiB each. */
export const MAX_LARGE_ANSWERS = 128;

/** The bytes of bodies that one process holds at a time: an account's half has room for the largest one. */
export function bodiesBytes({ MAX_BODY_BYTES }: Config): number {
  return Math.max(MAX_BODIES_BYTES, 2 * MAX_BODY_BYTES);
}

/** The ledger refused a request, see {@linkcode Refusal}. */
class OverLimit extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.reason);
  }
}

/** Makes the proxy. Each function throws a `PublicError` for a refused request. */
export function createProxy(options: ProxyOptions) {
  const { config, authenticator, ledger, models, noteRefusal } = options;
  const { fetch, now, sleep, startLimit } = options;
  const endpoints = createEndpoints(config);
  const timeoutSeconds = config.UPSTREAM_TIMEOUT_SECONDS;
  const call = createForwarder({ fetch, timeoutSeconds, startLimit, now });
  const inFlight = createInFlight({
    requests: MAX_REQUESTS,
    bodyBytes: bodiesBytes(config),
    largeMessages: MAX_LARGE_MESSAGES,
    largeAnswers: MAX_LARGE_ANSWERS,
  });
  const readBody = createBodyReader({ maxBytes: config.MAX_BODY_BYTES, startTimer: startLimit });
  const readMessageBody = createBodyReader({ maxBytes: MAX_MESSAGE_BYTES, startTimer: startLimit });
  const pause = createRefusalPause({ now, sleep });

  const limitsOf = ({ key, account }: Caller): DailyLimits => ({
    limit: dailyLimitOf(account, config.DAILY_LIMIT_USD, now()),
    cap: key.cap,
  });

  /** The headers about an account's rate limit; none if the database cannot be read. */
  async function rateNow(accountId: string): Promise<Readonly<Record<string, string>>> {
    const rate = await ledger.rate(accountId).catch(() => null);
    return rate === null ? {} : rateHeaders(rate, now());
  }

  /**
   * Admits a caller and does the rest of the request; `work` releases the slot if it succeeds.
   *
   * @throws {PublicError} `service_unavailable`, `unauthorized`, `forbidden`, and every error of `work`.
   */
  async function admit<T>(
    incoming: Incoming,
    work: (caller: Caller, slot: Slot) => T | Promise<T>,
  ): Promise<T> {
    let slot: Slot | null = null;
    let admitted: Caller | null = null;
    try {
      slot = inFlight.enter();
      const caller = await identify(incoming);
      slot.claim(caller.account.id);
      admitted = caller;
      return await work(caller, slot);
    } catch (thrown) {
      slot?.release();
      const error = await refusalOf(thrown, admitted, incoming.notes, slot?.bodyBytes);
      const refused = refusedRequest(error, incoming.notes);
      if (refused !== null) noteRefusal(refused);
      throw error;
    }
  }

  /**
   * The error for a refused request; an admitted caller's has the headers about the rate limit. Refusals are free and
   * not counted, so many of them are delayed, after the slot has been released.
   */
  async function refusalOf(
    thrown: unknown,
    caller: Caller | null,
    notes: RequestNotes,
    bodyBytes?: number,
  ): Promise<unknown> {
    const { accountId } = notes;
    const isOwn = thrown instanceof OverLimit || isRefusal(thrown);
    if (isOwn && (accountId !== undefined || isBusy(thrown))) {
      await pause(accountId, notes.messageBytes ?? bodyBytes);
    }
    if (caller === null) return thrown;
    if (thrown instanceof OverLimit) {
      const { refusal } = thrown;
      if (refusal.reason === "rate") return rateRefusal(refusal.rate, now());
      if (refusal.reason === "open") return openRefusal(refusal, now());
      return spendingRefusal(refusal, limitsOf(caller), config, now());
    }
    return toPublicError(thrown)
      .withHeaders({ ...await rateNow(caller.account.id), ...costHeader(notes) });
  }

  /** @throws {PublicError} `unauthorized` or `forbidden`. */
  async function identify({ request, notes }: Incoming): Promise<Caller> {
    try {
      const caller = await authenticator.authenticate(request.headers);
      notes.accountId = caller.account.id;
      notes.keyId = caller.key.id;
      return caller;
    } catch (error) {
      if (!(error instanceof RefusedCaller)) return failed(error);
      const { code, refusal } = error;
      Object.assign(notes, refusal);
      // The holder of a revoked key learns nothing about the account.
      const isMember = code === "forbidden" && "accountId" in refusal;
      throw isMember ? error.withHeaders(await rateNow(refusal.accountId)) : error;
    }
  }

  /** @throws {OverLimit} if every request of the caller would be refused now. */
  async function requireLimits(caller: Caller): Promise<void> {
    const asking = { ...limitsOf(caller), accountId: caller.account.id };
    const refusal = await ledger.refusal(asking).catch(failed);
    if (refusal !== null) throw new OverLimit(refusal);
  }

  /** Settles when the call is over, and renews the reservation of a long one. */
  function observe(
    { reservation, rate, today, capDay }: Admission & { readonly admitted: true },
    limits: DailyLimits,
    notes: RequestNotes,
  ): CallObserver {
    let renewedAt = now();
    let isOver = false;
    const { promise, resolve } = Promise.withResolvers<void>();
    notes.callOver = promise;
    return {
      headers() {
        const warning = spendingWarning({ today, capDay }, limits);
        const headers = Object.assign(rateHeaders(rate, now()), costHeader(notes));
        if (warning !== null) headers["x-spending-warning"] = warning;
        return headers;
      },
      finish(outcome) {
        if (isOver) return;
        isOver = true;
        // From here on `ledger.flush` waits for the settlement.
        void ledger.settle(reservation, outcome);
        notes.costUsd = formatUsd(outcome.cost ?? reservation.amount);
        notes.status = outcome.status;
        if (outcome.brokenBy !== undefined) notes.brokenBy = outcome.brokenBy;
        resolve();
      },
      progress() {
        if (now() - reservation.at > 1_000 * LONGEST_RESERVATION_SECONDS) throw timedOut();
        if (now() - renewedAt < timeoutSeconds * 1000) return;
        renewedAt = now();
        void ledger.renew(reservation);
      },
    };
  }

  return {
    /**
     * Forwards a request to a provider and charges the price that the response states.
     *
     * @param args the parsed body, for a request that has none itself.
     */
    forward(name: EndpointName, incoming: Incoming, args?: JsonObject): Promise<Response> {
      // `signal` is read early: Deno reports a disconnected caller only after that.
      const { request, request: { headers, signal }, requestId, notes } = incoming;
      notes.endpoint = name;
      const endpoint = endpoints[name];
      const { provider, path } = endpoint;
      return admit(incoming, async (known, slot) => {
        requireEndpoint(known, notes, config);
        const startedAt = now();
        const read = args ? null : await readBody(request, {
          reserveBytes: (bytes) => slot.hold(bytes),
          beforeWaiting: () => requireLimits(known),
        });
        // A ban acts within five seconds.
        const isSlow = now() - startedAt >= SLOW_MILLISECONDS;
        const caller = isSlow ? await identify(incoming) : known;
        if (isSlow) requireEndpoint(caller, notes, config);
        const parsed = read ? parseRequestJson(read) : args ?? {};
        endpoint.validate?.(parsed);
        const apiKey = requireKey(provider);
        const bytes = read ?? bytesOf(parsed, slot);
        const body = new SingleBody(endpoint.rewrite?.(bytes) ?? bytes);
        const limits = limitsOf(caller);
        const admission = await ledger.reserve({
          ...limits,
          requestId,
          accountId: caller.account.id,
          keyId: caller.key.id,
          endpoint: name,
          model: endpoint.model?.(parsed) ?? null,
          amount: endpoint.estimate(parsed, bytes.length),
        }).catch(failed);
        if (!admission.admitted) throw new OverLimit(admission);
        const observer = observe(admission, limits, notes);
        // Not awaited here: while the provider works, neither the bytes nor the parsed body are held.
        return call({ provider, apiKey, path, body, headers, requestId, signal, slot, observer });
      });
    },

    /** Reports the caller's spending today and, if asked, on the days before. */
    usage: (incoming: Incoming): Promise<Response> =>
      admit(incoming, async (caller, slot) => {
        const account = { accountId: caller.account.id, ...limitsOf(caller) };
        const search = searchOf(incoming.request.url);
        const { usage, rate } = await getUsage(ledger, account, search, now).catch(failed);
        slot.release();
        const headers = { ...rateHeaders(rate, now()), "cache-control": "no-store" };
        return Response.json({ data: usage }, { headers });
      }),

    /** Lists the models for decisions. A key is needed; nothing is charged. */
    decisionModels: (incoming: Incoming, info: ServerInfo): Promise<Response> =>
      admit(incoming, async (caller, slot) => {
        const response = await models.decision({ req: incoming.request, info });
        setHeaders(response, {
          ...await rateNow(caller.account.id),
          // A shared cache does not vary by `x-api-key` (RFC 9111, section 3.5, covers Authorization only).
          "cache-control": `private, ${response.headers.get("cache-control")}`,
        });
        slot.release();
        return response;
      }),

    /**
     * Reads a message of the Model Context Protocol, whose tools then forward it, under the limits of a forwarded body. A
     * large one, of a key that may decide now, must call `decide`, since other tools need little, and takes one of few
     * places while it is read.
     *
     * @param parse may throw a `PublicError` for a fault of the message.
     * @returns the message, and the endpoints that the caller's key may use.
     */
    readMessage: <T extends { readonly tool?: { readonly endpoint?: EndpointName } | undefined }>(
      incoming: Incoming,
      parse: (bytes: Uint8Array<ArrayBuffer>) => Promise<T>,
    ): Promise<{ readonly message: T; readonly endpoints: Endpoints }> =>
      admit(incoming, async (caller, slot) => {
        const { request, notes } = incoming;
        const isLarge = Number(request.headers.get("content-length")) > MAX_MESSAGE_BYTES;
        if (isLarge) {
          requireEndpoint(caller, Object.assign(notes, { endpoint: "decision" }), config);
          await requireLimits(caller);
          slot.hold(1, "largeMessages");
        }
        const bytes = await (isLarge ? readBody : readMessageBody)(request, {
          // The parsed message takes as much memory as its bytes.
          reserveBytes: (bytes) => slot.hold(2 * bytes),
        });
        notes.messageBytes = bytes.length;
        // This frees the bytes without a garbage collection.
        const message = await parse(bytes).finally(() => bytes.buffer.transfer(0));
        if (isLarge && message.tool?.endpoint !== "decision") {
          throw new PublicError("bad_request", `The message has over ${MAX_MESSAGE_BYTES} bytes.`, {
            hint: "Only the tool decide takes as much: send less.",
          });
        }
        slot.release();
        return { message, endpoints: caller.key.endpoints ?? "all" };
      }),

    /** Resolves when no request is in flight, or after some milliseconds. */
    idle: inFlight.idle,
  };
}

/**
 * The bytes of a parsed body, for which memory is reserved.
 *
 * @throws {PublicError} `service_unavailable` if there is none.
 */
function bytesOf(body: JsonObject, slot: Slot): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  slot.hold(bytes.length);
  return bytes;
}

/** @throws {PublicError} the error for a failure of the database before the caller got anything: it costs nothing. */
function failed(cause: unknown): never {
  if (cause instanceof PublicError) throw cause;
  const hint = "Nothing was forwarded or charged. Try again soon.";
  if (!(cause instanceof NewerVersionError)) throw databaseDown(cause, { hint, seconds: 5 });
  throw new PublicError(
    "service_unavailable",
    "A newer version of this service wrote the account's records, so this process must be replaced.",
    { hint, headers: { "retry-after": "5" }, cause },
  );
}

/** The charge of a request, if it is known when the response begins: never for a stream. */
function costHeader({ costUsd }: RequestNotes): Readonly<Record<string, string>> {
  return costUsd === undefined ? {} : { "x-cost-usd": costUsd };
}

/** @throws {RefusedCaller} if the caller's key may not use the endpoint. */
function requireEndpoint(
  { key: { id: keyId, endpoints }, account }: Caller,
  notes: RequestNotes,
  config: Config,
): void {
  if (endpoints === undefined || endpoints.includes(notes.endpoint ?? "")) return;
  notes.reason = "endpoint";
  const refusal = { reason: "endpoint", keyId, accountId: account.id } as const;
  throw new RefusedCaller({ ...refusal, allowed: endpoints }, config);
}

/** Whether this service refuses a request. One that reached a provider has a usage record instead. */
function isRefusal(thrown: unknown): thrown is PublicError {
  return thrown instanceof PublicError && !("x-refused-by" in thrown.headers) &&
    (thrown.status < 500 || thrown.code === "service_unavailable");
}

/**
 * The refusal of a request to a forwarded endpoint; null if the provider refused it, or its key's account is not known.
 */
function refusedRequest(
  thrown: unknown,
  { accountId, keyId, endpoint, reason }: RequestNotes,
): RefusedRequest | null {
  // Only the operator can repair the service's other failures.
  if (!isRefusal(thrown)) return null;
  if (accountId === undefined || keyId === undefined || endpoint === undefined) return null;
  const { code, details: { field, spending } } = thrown;
  return {
    accountId,
    keyId,
    endpoint,
    code,
    reason: spending?.scope ?? reason ?? (isBusy(thrown) ? "busy" : null),
    field: field === undefined ? null : withoutOwnNames(field),
  };
}
