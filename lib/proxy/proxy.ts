/**
 * A proxied request from its arrival to its settlement, in the order of the checks:
 * key, account, type and size, JSON, validation, rate limit, spending limit, forward, settle.
 * A body that has to be waited for is not waited for if one of the limits is reached already.
 */

import {
  type Authenticator,
  type Caller,
  type Hold,
  type Ledger,
  type RateState,
  type Refusal,
  RefusedCaller,
} from "../accounts/mod.ts";
import type { Config } from "../config.ts";
import {
  createBodyPace,
  isBusy,
  PublicError,
  readJsonBytes,
  searchOf,
  toPublicError,
} from "../http/mod.ts";
import { NewerFormatError } from "../kv/mod.ts";
import { formatUsd } from "../money.ts";
import type { RequestNotes } from "../telemetry/mod.ts";
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
interface ProxyOptions {
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
/** What one process bears; an account has half of it, or less while others have much (`in_flight.ts`). */
export const MAX_REQUESTS = 2_000;
/** Bodies, and what JSON becomes in memory, are a small part of an isolate's 512 MB. */
const MAX_BODIES_BYTES = 128 * 1024 * 1024;

/** The bytes of bodies that one process bears at a time: an account's half has room for the largest one. */
export function bodiesBytes({ MAX_BODY_BYTES }: Config): number {
  return Math.max(MAX_BODIES_BYTES, 2 * MAX_BODY_BYTES);
}

/** Above the rate limit. It is answered when nothing of the request is held any more. */
class OverRate extends Error {
  constructor(readonly accountId: string, readonly rate: RateState) {
    super("above the rate limit");
  }
}

/** Makes the proxy. */
export function createProxy(options: ProxyOptions): Proxy {
  const { config, authenticator, ledger, models, fetch, now, sleep } = options;
  const endpoints = createEndpoints(config);
  const callProvider = createForwarder({ fetch, timeoutSeconds: config.UPSTREAM_TIMEOUT_SECONDS });
  const inFlight = createInFlight({
    maxRequests: MAX_REQUESTS,
    maxBodyBytes: bodiesBytes(config),
  });
  const pace = createBodyPace({ sleep });
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
      if (thrown instanceof OverRate) throw thrown;
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

  /**
   * Gives a request its place, finds out who asks, and does its work, which releases the place if it succeeds.
   * Refusals that callers might answer by asking again at once wait; nothing of the request is held meanwhile.
   */
  async function admit(
    incoming: Incoming,
    work: (caller: Caller, slot: Slot) => Promise<Response>,
  ): Promise<Response> {
    let slot: Slot | null = null;
    try {
      const place = slot = inFlight.enter();
      const caller = await identify(incoming);
      place.claim(caller.account.id);
      return await withRate(caller, () => work(caller, place));
    } catch (error) {
      slot?.release();
      if (error instanceof OverRate) {
        await pause.forRate(error.accountId);
        throw rateRefusal(error.rate, now());
      }
      if (isBusy(error)) await pause.forRoom();
      throw error;
    }
  }

  /** What to throw for a refusal of the ledger. */
  function errorOf(refusal: Refusal, caller: Caller): Error {
    if (refusal.reason === "rate_limited") return new OverRate(caller.account.id, refusal.rate);
    return spendingRefusal(refusal, limitOf(caller), now());
  }

  /** @throws if a request of the caller's would be refused now, whatever is in it. */
  async function requireRoom(caller: Caller): Promise<void> {
    const account = { accountId: caller.account.id, limit: limitOf(caller) };
    const refusal = await ofDatabase(ledger.refusal(account));
    if (refusal !== null) throw errorOf(refusal, caller);
  }

  async function forward(name: EndpointName, incoming: Incoming): Promise<Response> {
    incoming.notes.endpoint = name;
    // Deno notices that a caller has gone only once `signal` has been accessed.
    const { signal } = incoming.request;
    return await admit(
      incoming,
      (caller, slot) => forwardFor(caller, name, incoming, { slot, signal }),
    );
  }

  /** Everything after the authentication. The slot is released when the call is over. */
  async function forwardFor(
    known: Caller,
    name: EndpointName,
    incoming: Incoming,
    { slot, signal }: { slot: Slot; signal: AbortSignal },
  ): Promise<Response> {
    const { request, requestId, notes } = incoming;
    const startedAt = now();
    const bytes = await readJsonBytes(request, {
      maxBytes: config.MAX_BODY_BYTES,
      hold: slot.hold,
      pace,
      look: () => requireRoom(known),
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
    if (!admission.admitted) throw errorOf(admission, caller);
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
        notes.costUsd = formatUsd(outcome.cost ?? hold.amount);
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
    usage: (incoming) =>
      admit(incoming, async (caller, slot) => {
        const account = { id: caller.account.id, limit: limitOf(caller) };
        const search = searchOf(incoming.request.url);
        const { usage, rate } = await ofDatabase(getUsage(ledger, account, search, now));
        slot.release();
        const headers = { ...rateHeaders(rate, now()), "cache-control": "no-store" };
        return Response.json({ data: usage }, { headers });
      }),
    decisionModels: (incoming) =>
      admit(incoming, async (caller, slot) => {
        const { request } = incoming;
        const response = await models.decision(request);
        // A shared cache knows nothing of `x-api-key` (RFC 9111, section 3.5, is about Authorization).
        const cacheControl = `private, ${response.headers.get("cache-control")}`;
        const headers = { ...await rateNow(caller.account.id), "cache-control": cacheControl };
        slot.release();
        for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
        return response;
      }),
    idle: inFlight.idle,
  };
}
