/**
 * The model lists (proxy contract, section 4): fetched from the providers every five minutes, shared by all
 * isolates in KV, and served for a day while a provider is down.
 */

import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { Config } from "../config.ts";
import {
  createRepresentation,
  nothingHere,
  parseQuery,
  type Representation,
  sendRepresentation,
} from "../http/mod.ts";
import { type Copy, createSharedCopy, type SharedCopy } from "../kv/mod.ts";
import type { Log } from "../telemetry/mod.ts";
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

/** A request for a list. */
interface ListRequest {
  readonly request: Request;
  /** The query string: `offset` and `limit`. */
  readonly search: string;
}

/** The model lists. Each function throws a `PublicError` if no list is young enough. */
export interface Models {
  list(which: keyof ModelLists, asked: ListRequest): Promise<Response>;
  /** One model by its id. */
  get(id: string, asked: ListRequest): Promise<Response>;
  /** The names and aliases for the `model` field of decisions. */
  decision(asked: ListRequest): Promise<Response>;
  /**
   * Renews the copies before they expire.
   *
   * @throws the first failure; the others are logged.
   */
  refresh(): Promise<void>;
}

/** What {@linkcode createModels} needs. */
interface ModelsOptions {
  readonly config: Config;
  readonly kv: Deno.Kv;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly log: Pick<Log, "error">;
}

const FRESH_MILLISECONDS = 5 * 60_000;
const STALE_MILLISECONDS = 24 * 3_600_000;
const REFRESH_AHEAD_MILLISECONDS = 90_000;
/** The parameters of a page; the largest `limit` is the router's. */
export const LIST_PARAMETERS = {
  offset: z.int().min(0).max(1_000_000),
  limit: z.int().min(1).max(1_000),
};
/** The number of pages and single models kept as bytes. */
const MAX_PREPARED = 50;

/** Creates the lists. */
export function createModels(options: ModelsOptions): Models {
  const { config, fetch, now } = options;
  const router = (path: string): ListAddress => ({
    fetch,
    url: config.ROUTER_API_URL + path,
    apiKey: config.ROUTER_API_KEY,
    name: "the router",
  });
  const copyOf = <T>(name: string, read: () => Promise<T>): SharedCopy<T> =>
    createSharedCopy({
      ...options,
      name,
      read,
      freshMilliseconds: FRESH_MILLISECONDS,
      staleMilliseconds: STALE_MILLISECONDS,
      leaseMilliseconds: 60_000,
      patienceMilliseconds: 2_000,
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

  /** Whole lists, apart from the parts: requests for many pages evict none of them. */
  const whole = new WeakMap<object, Representation>();
  const parts = new WeakMap<ModelLists, LRUCache<string, Representation>>();

  function prepareWhole(list: object, body: () => unknown): Representation {
    return whole.getOrInsertComputed(list, () => represent(body()));
  }

  function preparePart(lists: ModelLists, key: string, body: () => unknown): Representation {
    const kept = parts.getOrInsertComputed(lists, () => new LRUCache({ max: MAX_PREPARED }));
    const representation = kept.get(key) ?? represent(body());
    kept.set(key, representation);
    return representation;
  }

  async function send(
    { request }: ListRequest,
    representation: Representation,
    { readAt }: Copy<unknown>,
  ): Promise<Response> {
    const age = Math.max(0, now() - readAt);
    return await sendRepresentation(request, representation, {
      maxAgeSeconds: FRESH_MILLISECONDS / 1000,
      // RFC 9111, section 5.1: since the list was fetched, also while the provider is down.
      headers: { age: String(Math.floor(age / 1000)) },
    });
  }

  return {
    async list(which, asked) {
      const { offset = 0, limit } = parseQuery(asked.search, LIST_PARAMETERS);
      const copy = await lists.get();
      const models = copy.value[which];
      const body = () => {
        const end = limit === undefined ? models.length : offset + limit;
        const path = which === "all" ? "models" : "embeddings/models";
        const next = end < models.length
          ? `${config.BASE_URL}/proxy/v1/${path}?offset=${end}&limit=${limit}`
          : null;
        const data = models.slice(offset, end);
        return { object: "list", data, links: { next }, total_count: models.length };
      };
      const representation = offset === 0 && limit === undefined
        ? prepareWhole(models, body)
        : preparePart(copy.value, `${which} ${offset} ${limit}`, body);
      return await send(asked, representation, copy);
    },
    async get(id, asked) {
      parseQuery(asked.search, {});
      const copy = await lists.get();
      const model = copy.value.all.find((each) => each.id === id);
      if (model === undefined) {
        throw nothingHere("There is no such model.", "The models are at /proxy/v1/models.");
      }
      return await send(asked, preparePart(copy.value, `one ${id}`, () => model), copy);
    },
    async decision(asked) {
      parseQuery(asked.search, {});
      requireKey(decisionProvider);
      const copy = await decisions.get();
      return await send(asked, prepareWhole(copy.value, () => ({ models: copy.value })), copy);
    },
    async refresh() {
      const results = await Promise.allSettled([
        lists.refresh(REFRESH_AHEAD_MILLISECONDS),
        ...decisionProvider.apiKey === undefined
          ? []
          : [decisions.refresh(REFRESH_AHEAD_MILLISECONDS)],
      ]);
      const [first, ...others] = results.filter((result) => result.status === "rejected");
      for (const { reason: cause } of others) {
        options.log.error("The model lists cannot be renewed.", { cause });
      }
      if (first !== undefined) throw first.reason;
    },
  };
}

function represent(body: unknown): Representation {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  return createRepresentation({ contentType: "application/json", bytes });
}
