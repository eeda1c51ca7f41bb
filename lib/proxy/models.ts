/**
 * The model lists: read from the providers every five minutes, kept in memory, and served for a day while a provider is
 * down.
 */

import type { Config } from "../platform/config/config.ts";
import { createRepresentation, sendRepresentation } from "../platform/http/representation.ts";
import { nothingHere } from "../platform/http/errors.ts";
import { memoize } from "../platform/memoize.ts";
import { parseQuery } from "../platform/http/url.ts";
import { searchOf } from "../platform/address.ts";
import { wholeNumber } from "../platform/parameters.ts";
import type { Log } from "../platform/log.ts";
import { DAY_MILLISECONDS } from "../platform/time.ts";
import { type Copy, createCopy } from "./copy.ts";
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

/** The model lists. Each function throws a `PublicError` if no list is young enough. */
export interface Models {
  /** The query string takes `offset` and `limit`. */
  list(which: keyof ModelLists, request: Request): Promise<Response>;
  /** One model by its id. */
  get(id: string, request: Request): Promise<Response>;
  /** The names and aliases that the decision group's `model` field takes. */
  decision(request: Request): Promise<Response>;
}

/** Dependencies of the lists. */
interface ModelsOptions {
  readonly config: Config;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly log: Pick<Log, "error">;
}

const FRESH_MILLISECONDS = 5 * 60_000;
const STALE_MILLISECONDS = DAY_MILLISECONDS;
/** The paging parameters; the largest `limit` is the router's own. */
export const LIST_PARAMETERS = {
  offset: wholeNumber(0, 1_000_000),
  limit: wholeNumber(1, 1_000),
};

/** Makes the lists. */
export function createModels(options: ModelsOptions): Models {
  const { config, fetch, now } = options;
  const router = (path: string): ListAddress => ({
    fetch,
    url: config.ROUTER_API_URL + path,
    apiKey: config.ROUTER_API_KEY,
    name: "the router",
  });
  const copyOf = <T>(name: string, read: () => Promise<T>): () => Promise<Copy<T>> =>
    createCopy<T>({
      ...options,
      name,
      read,
      freshMilliseconds: FRESH_MILLISECONDS,
      staleMilliseconds: STALE_MILLISECONDS,
      pauseMilliseconds: 30_000,
    });
  const lists = copyOf<ModelLists>("models", async () => {
    const [chat, embeddings] = await Promise.all([
      readModels(router("/v1/models")),
      readModels(router("/v1/embeddings/models")),
    ]);
    const known = new Set(chat.map(({ id }) => id));
    return { all: [...chat, ...embeddings.filter(({ id }) => !known.has(id))], embeddings };
  });
  const decisionProvider = createDecisionProvider(config);
  const decisions = copyOf<DecisionModel[]>("decision_models", () => {
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
    async list(which, request) {
      const { offset = 0, limit } = parseQuery(searchOf(request.url), LIST_PARAMETERS);
      const copy = await lists();
      const models = copy.value[which];
      const isWhole = offset === 0 && limit === undefined;
      const representation = isWhole
        ? whole[which](models)
        : represent(page(which, models, offset, limit));
      return await send(request, representation, copy);
    },
    async get(id, request) {
      parseQuery(searchOf(request.url), {});
      const copy = await lists();
      const model = copy.value.all.find((each) => each.id === id);
      if (model !== undefined) return await send(request, represent(model), copy);
      throw nothingHere("There is no such model.", "The models are at /proxy/v1/models.");
    },
    async decision(request) {
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
