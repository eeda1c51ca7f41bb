/**
 * A proxied request from its arrival to its settlement, in the order of the checks:
 * key, account, type and size, JSON, validation, rate limit, spending limit, forward, settle.
 */

import type { Authenticator, Caller } from "../accounts/authenticate.ts";
import type { Hold } from "../accounts/books.ts";
import type { Ledger } from "../accounts/ledger.ts";
import type { RateState } from "../accounts/rate_window.ts";
import { RefusedCaller } from "../accounts/refusal.ts";
import type { Config } from "../config.ts";
import { isBusy, PublicError, toPublicError } from "../http/errors.ts";
import { NewerFormatError } from "../kv/formats.ts";
import { readJsonBytes } from "../http/json_body.ts";
import { searchOf } from "../http/query.ts";
import { formatUsd } from "../money.ts";
import type { RequestNotes } from "../telemetry/request.ts";
import { createEndpoints, type EndpointName } from "./endpoints.ts";
import { type CallObserver, createForwarder } from "./forward.ts";
import { createInFlight, type Slot } from "./in_flight.ts";
import { rateHeaders, rateRefusal, spendingRefusal, spendingWarning } from "./limits.ts";
import type { Models } from "./models.ts";
import { requireKey } from "./provider.ts";
import { createRefusalPause } from "./refusal_pause.ts";
import { parseRequestJson } from "./request_json.ts";
import { getUsage } from "./usage.ts";

/** A request, its id, and where its log line is prepared. */
export interface Incoming {
  readonly request: Request;
  readonly requestId: string;
  readonly notes: RequestNotes;
}

/** The proxy's endpoints. Each throws a `PublicError` for what it refuses. */
export interface Proxy {
  /** Has a provider answer, at the price that its answer says. */
  forward(endpoint: EndpointName, incoming: Incoming): Promise<Response>;
  /** What the caller has spent today, and on the days before. */
  usage(incoming: Incoming): Promise<Response>;
  /** The models that decisions can name; a key is needed, and nothing is charged. */
  decisionModels(incoming: Incoming): Promise<Response>;
  /** Resolves when no request is in flight, or after some milliseconds. */
  idle(milliseconds: number): Promise<void>;
}

/** What the proxy needs. */
export interface ProxyOptions {
  readonly config: Config;
  readonly authenticator: Authenticator;
  readonly ledger: Ledger;
  readonly models: Models;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** After a body that took longer than this, the key and its account are checked again. */
const SLOW_MILLISECONDS = 1_000;
/** What one process bears: bodies, and what JSON becomes in memory, are a small part of an isolate's 512 MB. */
const IN_FLIGHT = {
  maxRequests: 2_000,
  maxRequestsOfAccount: 1_000,
  maxBodyBytes: 128 * 1024 * 1024,
};

/** Makes the proxy. */
export function createProxy(options: ProxyOptions): Proxy {
  const { config, authenticator, ledger, models, fetch, now, sleep } = options;
  const endpoints = createEndpoints(config);
  const callProvider = createForwarder({ fetch, timeoutSeconds: config.UPSTREAM_TIMEOUT_SECONDS });
  const inFlight = createInFlight(IN_FLIGHT);
  const pause = createRefusalPause({ now, sleep });
  const renewAfter = config.UPSTREAM_TIMEOUT_SECONDS * 1000;

  const limitOf = ({ account }: Caller) => account.limitNanoUsd ?? config.DAILY_LIMIT_USD;

  /** The headers about an account's rate limit; none if the database cannot be read. */
  async function rateNow(accountId: string): Promise<Readonly<Record<string, string>>> {
    const rate = await ledger.rate(accountId).catch(() => null);
    return rate === null ? {} : rateHeaders(rate, now());
  }

  /** Runs the rest of an authenticated request; its errors get the headers about the rate limit. */
  async function withRate<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      const error = toPublicError(thrown);
      // A refusal by the ledger has them already.
      if ("ratelimit" in error.headers) throw error;
      throw error.withHeaders(await rateNow(caller.account.id));
    }
  }

  /** @throws {PublicError} `unauthorized` or `forbidden`. */
  async function identify({ request, notes }: Incoming): Promise<Caller> {
    try {
      const caller = await ofDatabase(authenticator.authenticate(request.headers));
      Object.assign(notes, { accountId: caller.account.id, keyId: caller.keyId });
      return caller;
    } catch (error) {
      if (!(error instanceof RefusedCaller)) throw error;
      const { code, refusal } = error;
      Object.assign(notes, refusal);
      // Whoever has a key that is revoked learns nothing of the account.
      const isMember = code === "forbidden" && "accountId" in refusal;
      throw isMember ? error.withHeaders(await rateNow(refusal.accountId)) : error;
    }
  }

  /** The result of a database call made before anything is forwarded; its failure is a 503 and costs nothing. */
  async function ofDatabase<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (cause) {
      if (cause instanceof PublicError) throw cause;
      const message = cause instanceof NewerFormatError
        ? "A newer version of this service keeps the account's books, and this process is to be replaced."
        : "The database does not answer.";
      throw new PublicError("service_unavailable", message, {
        hint: "Nothing was forwarded or charged. Try again soon.",
        headers: { "retry-after": "5" },
        cause,
      });
    }
  }

  async function forward(endpoint: EndpointName, incoming: Incoming): Promise<Response> {
    incoming.notes.endpoint = endpoint;
    // Deno notices that a caller has gone only once `signal` has been accessed.
    const { signal } = incoming.request;
    let slot: Slot | null = null;
    try {
      slot = inFlight.enter();
      const place = { slot, signal };
      const caller = await identify(incoming);
      slot.claim(caller.account.id);
      const answer = await withRate(caller, () => forwardFor(caller, endpoint, incoming, place));
      if (answer instanceof Response) return answer;
      slot.release();
      await pause.forRate(caller.account.id);
      throw rateRefusal(answer, now());
    } catch (error) {
      slot?.release();
      if (isBusy(error)) await pause.forRoom();
      throw error;
    }
  }

  /**
   * Everything after the authentication. The slot is released when the call is over, or by whoever catches
   * what this throws. A refusal by rate is returned, not thrown: once this function has ended, nothing of the
   * request is held while the refusal waits.
   */
  async function forwardFor(
    known: Caller,
    name: EndpointName,
    incoming: Incoming,
    { slot, signal }: { slot: Slot; signal: AbortSignal },
  ): Promise<Response | RateState> {
    const { request, requestId, notes } = incoming;
    const startedAt = now();
    const bytes = await readJsonBytes(request, {
      maxBytes: config.MAX_BODY_BYTES,
      hold: slot.hold,
    });
    // A body may take a minute; a ban or a lower limit is in force in five seconds.
    const caller = now() - startedAt < SLOW_MILLISECONDS ? known : await identify(incoming);
    const body = parseRequestJson(bytes);
    const endpoint = endpoints[name];
    endpoint.validate(body);
    const { provider, path, rewrite } = endpoint;
    const apiKey = requireKey(provider);
    const rewritten = rewrite?.(bytes) ?? bytes;
    const limit = limitOf(caller);
    const bid = {
      requestId,
      accountId: caller.account.id,
      keyId: caller.keyId,
      endpoint: name,
      model: endpoint.model(body),
      amount: endpoint.estimate(body, bytes.length),
      limit,
    };
    const admission = await ofDatabase(ledger.reserve(bid));
    if (!admission.admitted) {
      if (admission.reason === "rate_limited") return admission.rate;
      throw spendingRefusal(admission, limit, now());
    }
    const warning = spendingWarning(admission.today, limit);
    const ownHeaders = () => ({
      ...rateHeaders(admission.rate, now()),
      ...warning !== null && { "x-spending-warning": warning },
    });
    const { headers } = request;
    const call = {
      provider,
      apiKey,
      path,
      body: rewritten,
      headers,
      signal,
      requestId,
      ownHeaders,
    };
    return await callProvider(call, settleAtEnd(admission.hold, notes, slot));
  }

  /** Settles when the call is over, and keeps the reservation of a long one from being swept. */
  function settleAtEnd(hold: Hold, notes: RequestNotes, slot: Slot): CallObserver {
    let current = Promise.resolve(hold);
    let renewedAt = now();
    const { promise, resolve } = Promise.withResolvers<void>();
    notes.callOver = promise;
    return {
      finish(outcome) {
        // From here on `ledger.flush` waits for the settlement.
        void current.then((held) => void ledger.settle(held, outcome)).finally(slot.release);
        notes.costUsd = formatUsd(outcome.cost ?? hold.reservation.amount);
        notes.status = outcome.status;
        if (outcome.brokenBy !== undefined) notes.brokenBy = outcome.brokenBy;
        resolve();
      },
      progress() {
        if (now() - renewedAt < renewAfter) return;
        renewedAt = now();
        current = current.then(async (held) => await ledger.renew(held) ?? held);
      },
    };
  }

  return {
    forward,
    async usage(incoming) {
      const caller = await identify(incoming);
      return await withRate(caller, async () => {
        const account = { id: caller.account.id, limit: limitOf(caller) };
        const search = searchOf(incoming.request.url);
        const { usage, rate } = await ofDatabase(getUsage(ledger, account, search, now));
        const headers = { ...rateHeaders(rate, now()), "cache-control": "no-store" };
        return Response.json({ data: usage }, { headers });
      });
    },
    async decisionModels(incoming) {
      const caller = await identify(incoming);
      return await withRate(caller, async () => {
        const { request } = incoming;
        const asked = { request, search: searchOf(request.url) };
        const response = await models.decision(asked);
        // A shared cache knows nothing of `x-api-key` (RFC 9111, section 3.5, is about Authorization).
        const cacheControl = `private, ${response.headers.get("cache-control")}`;
        const headers = { ...await rateNow(caller.account.id), "cache-control": cacheControl };
        for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
        return response;
      });
    },
    idle: inFlight.idle,
  };
}
