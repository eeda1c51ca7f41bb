/**
 * The model lists: read from the providers every five minutes, kept in memory, and served for a day while a provider is
 * down.
 */

import type { Config } from "../platform/config/config.ts";
import { createRepresentation, sendRepresentation } from "../platform/http/representation.ts";
import { nothingHere } from "../platform/http/errors.ts";
import { memoize } from "../platform/memoize.ts";
import { searchOf } from "../platform/address.ts";
import { parseQuery, wholeNumber } from "../platform/parameters.ts";
import type { Log } from "../platform/log.ts";
import { DAY_MILLISECONDS } from "../platform/time.ts";
import { createDecisionProvider } from "./decision.ts";
import {
  type DecisionModel,
  type ListAddress,
  type Model,
  readDecisionModels,
  readModels,
} from "./model_source.ts";
import { requireKey } from "./provider.ts";

/** The lists of chat and embedding models. */
interface ModelLists {
  /** Every chat model, then every embedding model that is not among them. */
  readonly all: readonly Model[];
  readonly embeddings: readonly Model[];
}

/** The model lists. */
export type Models = ReturnType<typeof createModels>;

/** Dependencies of the lists. */
interface ModelsOptions {
  readonly config: Config;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly log: Pick<Log, "error">;
}

/** A value that was read, and when the read began (epoch milliseconds). */
interface Copy<T> {
  readonly value: T;
  readonly readAt: number;
}

/** Past this age a request waits for a read. */
const FRESH_MILLISECONDS = 5 * 60_000;
/** Past this age a copy is not served. */
const STALE_MILLISECONDS = DAY_MILLISECONDS;
/** The pause after a failed read. */
const PAUSE_MILLISECONDS = 30_000;
/** How long a request waits for a read while it may be given the old copy. */
const PATIENCE_MILLISECONDS = 2_000;
/** The paging parameters; the largest `limit` is the router's own. */
export const LIST_PARAMETERS = {
  offset: wholeNumber(0, 1_000_000),
  limit: wholeNumber(1, 1_000),
};

/** Makes the lists. Each function throws a `PublicError` if no list is young enough. */
export function createModels(options: ModelsOptions) {
  const { config, fetch, now } = options;
  const router = (path: string): ListAddress => ({
    fetch,
    url: config.ROUTER_API_URL + path,
    apiKey: config.ROUTER_API_KEY,
    name: "the router",
  });
  const lists = createCopy<ModelLists>("models", options, async () => {
    const [chat, embeddings] = await Promise.all([
      readModels(router("/v1/models")),
      readModels(router("/v1/embeddings/models")),
    ]);
    const known = new Set(chat.map(({ id }) => id));
    return { all: [...chat, ...embeddings.filter(({ id }) => !known.has(id))], embeddings };
  });
  const decisionProvider = createDecisionProvider(config);
  const decisions = createCopy<DecisionModel[]>("decision_models", options, () => {
    const { apiUrl, apiKey, name } = decisionProvider;
    const address = { fetch, url: `${apiUrl}/v1/models`, apiKey, name };
    return readDecisionModels(address, config.DECISION_MODEL_PREFIX);
  });

  async function send(
    request: Request,
    representation: ReturnType<typeof represent>,
    { readAt }: Copy<unknown>,
  ): Promise<Response> {
    const age = Math.max(0, now() - readAt);
    return await sendRepresentation(request, representation, {
      maxAgeSeconds: FRESH_MILLISECONDS / 1000,
      // RFC 9111, section 5.1: the age counts from the read, also while the provider is down.
      headers: { age: String(Math.floor(age / 1000)) },
    });
  }

  /** The body of a part of a list. */
  function page(which: keyof ModelLists, models: readonly Model[], offset = 0, limit?: number) {
    const end = limit === undefined ? models.length : offset + limit;
    const path = which === "all" ? "models" : "embeddings/models";
    const next = end < models.length
      ? `${config.BASE_URL}/proxy/v1/${path}?offset=${end}&limit=${limit}`
      : null;
    const data = models.slice(offset, end);
    return { object: "list", data, links: { next }, total_count: models.length };
  }

  /** Whole lists are kept as bytes. Pages and single models are made for each request: few clients ask for them. */
  const whole = {
    all: memoize((models: readonly Model[]) => represent(page("all", models))),
    embeddings: memoize((models: readonly Model[]) => represent(page("embeddings", models))),
    decision: memoize((models: readonly DecisionModel[]) => represent({ models })),
  };

  return {
    /** The query string takes `offset` and `limit`. */
    async list(which: keyof ModelLists, request: Request): Promise<Response> {
      const { offset = 0, limit } = parseQuery(searchOf(request.url), LIST_PARAMETERS);
      const copy = await lists();
      const models = copy.value[which];
      const isWhole = offset === 0 && limit === undefined;
      const representation = isWhole
        ? whole[which](models)
        : represent(page(which, models, offset, limit));
      return await send(request, representation, copy);
    },
    /** One model by its id. */
    async get(id: string, request: Request): Promise<Response> {
      parseQuery(searchOf(request.url), {});
      const copy = await lists();
      const model = copy.value.all.find((each) => each.id === id);
      if (model !== undefined) return await send(request, represent(model), copy);
      throw nothingHere("There is no such model.", "The models are at /proxy/v1/models.");
    },
    /** The names and aliases that the decision group's `model` field takes. */
    async decision(request: Request): Promise<Response> {
      parseQuery(searchOf(request.url), {});
      requireKey(decisionProvider);
      const copy = await decisions();
      return await send(request, whole.decision(copy.value), copy);
    },
  };
}

function represent(body: unknown) {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  return createRepresentation({ contentType: "application/json", bytes });
}

/**
 * Creates the function that returns the copy: at once if it is fresh, otherwise after an attempt to renew it. Requests
 * share a read. It throws the error of the last read if no copy is young enough.
 */
function createCopy<T>(
  name: string,
  { now, sleep, log }: ModelsOptions,
  read: () => Promise<T>,
): () => Promise<Copy<T>> {
  let held: Copy<T> | null = null;
  let running: Promise<void> | null = null;
  let failure: { readonly error: unknown; readonly at: number } | null = null;

  /** The copy if it is young enough, by a clock that may have been set back. */
  function youngerThan(milliseconds: number): Copy<T> | null {
    return held !== null && Math.abs(now() - held.readAt) < milliseconds ? held : null;
  }

  async function renew(): Promise<void> {
    const readAt = now();
    try {
      held = { value: await read(), readAt };
      failure = null;
    } catch (error) {
      failure = { error, at: now() };
      if (youngerThan(STALE_MILLISECONDS)) {
        log.error("A copy cannot be renewed.", { name, cause: error });
      }
      throw error;
    } finally {
      running = null;
    }
  }

  return async function get() {
    const fresh = youngerThan(FRESH_MILLISECONDS);
    if (fresh !== null) return fresh;
    const isPaused = failure !== null && Math.abs(now() - failure.at) < PAUSE_MILLISECONDS;
    const old = youngerThan(STALE_MILLISECONDS);
    if (old === null) {
      if (isPaused) throw failure?.error;
      await (running ??= renew());
    } else if (!isPaused) {
      const over = new AbortController();
      const renewed = (running ??= renew()).catch(() => {});
      await Promise.race([renewed, sleep(PATIENCE_MILLISECONDS, over.signal)]);
      over.abort();
    }
    const copy = youngerThan(STALE_MILLISECONDS);
    if (copy === null) throw new Error(`the list ${name} was read too slowly`);
    return copy;
  };
}
