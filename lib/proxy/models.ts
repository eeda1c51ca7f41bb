/**
 * The model lists (proxy contract, section 4): read from the providers every five minutes, kept in KV for
 * all isolates, and served for a day while a provider is down.
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

/** What a list is asked by. */
interface ListRequest {
  readonly request: Request;
  /** The query string: `offset` and `limit`. */
  readonly search: string;
}

/** The model lists. Each function throws a `PublicError` if there is no list that is young enough. */
export interface Models {
  list(which: keyof ModelLists, asked: ListRequest): Promise<Response>;
  /** One model by its id. */
  get(id: string, asked: ListRequest): Promise<Response>;
  /** The names and aliases that the decision group's `model` field takes. */
  decision(asked: ListRequest): Promise<Response>;
  /**
   * Makes new copies before the old ones are no longer fresh.
   *
   * @throws the first failure; only others are logged here.
   */
  refresh(): Promise<void>;
}

/** What the lists need. */
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
/** Clients page with them; the greatest `limit` is the router's. */
export const LIST_PARAMETERS = {
  offset: z.int().min(0).max(1_000_000),
  limit: z.int().min(1).max(1_000),
};
/** How many pages and single models are kept as bytes, besides the whole lists. */
const MAX_PREPARED = 50;

/** Makes the lists. */
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

  /** Prepared answers by the value that they are of: whole lists, which whoever asks for pages cannot push out. */
  const whole = new WeakMap<object, Representation>();
  /** Of the current lists, by what was asked. */
  const parts = new LRUCache<string, Representation>({ max: MAX_PREPARED });
  let partsOf: ModelLists | null = null;

  async function send(
    { request }: ListRequest,
    representation: Representation,
    { readAt }: Copy<unknown>,
  ): Promise<Response> {
    const age = Math.max(0, now() - readAt);
    return await sendRepresentation(request, representation, {
      maxAgeSeconds: FRESH_MILLISECONDS / 1000,
      // RFC 9111, section 5.1: from the reading on, also while the provider is down.
      headers: { age: String(Math.floor(age / 1000)) },
    });
  }

  async function current(): Promise<Copy<ModelLists>> {
    const copy = await lists.get();
    if (copy.value !== partsOf) {
      partsOf = copy.value;
      parts.clear();
    }
    return copy;
  }

  return {
    async list(which, asked) {
      const { offset = 0, limit } = parseQuery(asked.search, LIST_PARAMETERS);
      const copy = await current();
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
        ? prepare(whole, models, body)
        : prepare(parts, `${which} ${offset} ${limit}`, body);
      return await send(asked, representation, copy);
    },
    async get(id, asked) {
      parseQuery(asked.search, {});
      const copy = await current();
      const model = copy.value.all.find((each) => each.id === id);
      if (model !== undefined) {
        return await send(
          asked,
          prepare(parts, `one ${id}`, () => model),
          copy,
        );
      }
      throw nothingHere("There is no such model.", "The models are at /proxy/v1/models.");
    },
    async decision(asked) {
      parseQuery(asked.search, {});
      requireKey(decisionProvider);
      const copy = await decisions.get();
      const { value } = copy;
      return await send(asked, prepare(whole, value, () => ({ models: value })), copy);
    },
    async refresh() {
      const wanted: Promise<void>[] = [lists.refresh(REFRESH_AHEAD_MILLISECONDS)];
      if (decisionProvider.apiKey !== undefined) {
        wanted.push(decisions.refresh(REFRESH_AHEAD_MILLISECONDS));
      }
      const failures = (await Promise.allSettled(wanted))
        .flatMap((result) => result.status === "rejected" ? [result.reason] : []);
      const [first, ...others] = failures;
      for (const cause of others) {
        options.log.error("The model lists cannot be renewed.", { cause });
      }
      if (first !== undefined) throw first;
    },
  };
}

/** Where answers are kept, by what was asked or what they are of. */
interface Store<Key> {
  get(key: Key): Representation | undefined;
  set(key: Key, answer: Representation): unknown;
}

/** The answer that is kept under a key, or else one that is made of `body` and kept. */
function prepare<Key>(store: Store<Key>, key: Key, body: () => unknown): Representation {
  const known = store.get(key);
  if (known !== undefined) return known;
  const made = represent(body());
  store.set(key, made);
  return made;
}

function represent(body: unknown): Representation {
  const text = JSON.stringify(body);
  return createRepresentation({
    contentType: "application/json",
    bytes: new TextEncoder().encode(text),
  });
}
