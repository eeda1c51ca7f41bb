/**
 * The model lists: read from the providers every five minutes, kept in memory, and served for a day while a provider is
 * down.
 */

import { LRUCache } from "lru-cache";
import type { Config } from "../platform/config/config.ts";
import { createRepresentation, sendRepresentation } from "../platform/http/representation.ts";
import { type Asked, requireRoom } from "../platform/http/wire.ts";
import { nothingHere } from "../platform/http/errors.ts";
import { memoize } from "../platform/memoize.ts";
import { searchOf } from "../platform/address.ts";
import { type Given, oneOf, parseQuery, texts, wholeNumber } from "../platform/parameters.ts";
import type { Log } from "../platform/log.ts";
import type { Platform } from "../platform/platform.ts";
import { DAY_MILLISECONDS } from "../platform/time.ts";
import { type JsonObject, memberAt } from "../platform/json.ts";
import { createDecisionProvider } from "./decision.ts";
import {
  type DecisionModel,
  type ListAddress,
  type Model,
  readDecisionModels,
  readEndpoints,
  readModels,
} from "./internal/model_source.ts";
import { requireKey } from "./internal/provider.ts";

/** The lists of chat and embedding models. */
interface ModelLists {
  /** Every chat model, then every embedding model that is not among them. */
  readonly all: readonly Model[];
  readonly embeddings: readonly Model[];
}

type ListQuery = Given<typeof MODEL_LIST_PARAMETERS>;

/** The model lists. */
export type Models = ReturnType<typeof createModels>;

interface ModelsOptions extends Pick<Platform, "fetch" | "now" | "sleep"> {
  readonly config: Config;
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
/** The models whose endpoints are kept. */
const MAX_ENDPOINTS = 500;
/** The categories and orders of the router's models: only the router knows which and how. */
const CATEGORIES = [
  "programming",
  "roleplay",
  "marketing",
  "marketing/seo",
  "technology",
  "science",
  "translation",
  "legal",
  "finance",
  "health",
  "trivia",
  "academia",
] as const;
const ORDERS = [
  "most-popular",
  "newest",
  "top-weekly",
  "pricing-low-to-high",
  "pricing-high-to-low",
  "context-high-to-low",
  "throughput-high-to-low",
  "latency-low-to-high",
  "intelligence-high-to-low",
  "coding-high-to-low",
  "agentic-high-to-low",
  "design-arena-elo-high-to-low",
] as const;
/** The router's own parameters of its lists; its further ones are ignored. The largest `limit` is its own too. */
export const MODEL_LIST_PARAMETERS = {
  offset: wholeNumber(0, 1_000_000),
  limit: wholeNumber(1, 1_000),
  category: oneOf(CATEGORIES),
  supported_parameters: texts(500),
  input_modalities: texts(200),
  output_modalities: texts(200),
  sort: oneOf(ORDERS),
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
    return { all: merged(chat, embeddings), embeddings };
  });
  /** The router's list for one of few queries, each kept when it has been asked for. */
  const askedLists = new Map<string, () => Promise<Copy<Model[]>>>();
  function asked(query: string): Promise<Copy<Model[]>> {
    const read = askedLists.get(query) ??
      createCopy<Model[]>(
        "models",
        options,
        () => readModels(router(`/v1/models?output_modalities=all${query}`)),
      );
    askedLists.set(query, read);
    return read();
  }
  const endpoints = new LRUCache<string, () => Promise<Copy<JsonObject | null>>>({
    max: MAX_ENDPOINTS,
  });
  const decisionProvider = createDecisionProvider(config);
  const decisions = createCopy<DecisionModel[]>("decision_models", options, () => {
    const { apiUrl, apiKey, name } = decisionProvider;
    const address = { fetch, url: `${apiUrl}/v1/models`, apiKey, name };
    return readDecisionModels(address, config.DECISION_MODEL_PREFIX);
  });

  async function send(
    asked: Asked,
    representation: ReturnType<typeof represent>,
    { readAt }: Copy<unknown>,
  ): Promise<Response> {
    const age = Math.max(0, now() - readAt);
    return await sendRepresentation(asked, representation, {
      maxAgeSeconds: FRESH_MILLISECONDS / 1000,
      // RFC 9111, section 5.1: the age counts from the read, also while the provider is down.
      headers: { age: String(Math.floor(age / 1000)) },
    });
  }

  /** The body of a part of a list. */
  function page(which: keyof ModelLists, models: readonly Model[], given: ListQuery = {}) {
    const { offset = 0, limit, ...rest } = given;
    const end = limit === undefined ? models.length : offset + limit;
    const path = which === "all" ? "models" : "embeddings/models";
    const query = new URLSearchParams(
      Object.entries({ offset: end, limit, ...rest }).map(
        ([name, value]) => [name, String(value)],
      ),
    );
    const next = end < models.length ? `${config.BASE_URL}/proxy/v1/${path}?${query}` : null;
    const data = models.slice(offset, end);
    return { object: "list", data, links: { next }, total_count: models.length };
  }

  /** The models that a query chooses, in its order, and when the oldest of their lists was read. */
  async function choose(
    which: keyof ModelLists,
    given: ListQuery,
  ): Promise<Copy<readonly Model[]>> {
    const { category, sort } = given;
    const outputs = namesIn(given.output_modalities);
    const copy = await lists();
    const [whole, filed, ordered] = await Promise.all([
      which === "all" && outputs.length > 0 ? asked("") : null,
      category === undefined ? null : asked(`&category=${encodeURIComponent(category)}`),
      sort === undefined ? null : asked(`&sort=${sort}`),
    ]);
    const chosen = chooseModels(
      whole === null ? copy.value[which] : merged(whole.value, copy.value.all),
      { ...given, outputs, filed: filed && ranksOf(filed.value) },
    );
    const ranks = ordered && ranksOf(ordered.value);
    const rankOf = ({ id }: Model) => ranks?.get(id) ?? Infinity;
    const value = ranks === null
      ? chosen
      : chosen.toSorted((a, b) => rankOf(a) === rankOf(b) ? 0 : rankOf(a) - rankOf(b));
    const copies: (Copy<unknown> | null)[] = [copy, whole, filed, ordered];
    return { value, readAt: Math.min(...copies.map((each) => each?.readAt ?? Infinity)) };
  }

  /** Whole lists are kept as bytes. Pages and single models are made for each request: few clients ask for them. */
  const whole = {
    all: memoize((models: readonly Model[]) => represent(page("all", models))),
    embeddings: memoize((models: readonly Model[]) => represent(page("embeddings", models))),
    decision: memoize((models: readonly DecisionModel[]) => represent({ models })),
  };

  return {
    /** The models that a query string asks for by {@linkcode MODEL_LIST_PARAMETERS}; other names are ignored. */
    async list(which: keyof ModelLists, asked: Asked): Promise<Response> {
      const given = parseQuery(searchOf(asked.req.url), MODEL_LIST_PARAMETERS, "values");
      if (Object.keys(given).length === 0) {
        const copy = await lists();
        return await send(asked, whole[which](copy.value[which]), copy);
      }
      requireRoom();
      const copy = await choose(which, given);
      return await send(asked, represent(page(which, copy.value, given), true), copy);
    },
    /** How many models the list has for the same query string. */
    async count(asked: Asked): Promise<Response> {
      const given = parseQuery(searchOf(asked.req.url), MODEL_LIST_PARAMETERS, "values");
      const copy = await choose("all", given);
      return await send(asked, represent({ data: { count: copy.value.length } }), copy);
    },
    /** The endpoints of one listed model, as the router describes them. */
    async endpoints(id: string, asked: Asked): Promise<Response> {
      const { value: { all } } = await lists();
      if (!all.some((each) => each.id === id)) throw unknownModel();
      const read = endpoints.get(id) ?? createCopy("model_endpoints", options, () =>
        readEndpoints(
          router(`/v1/models/${id.split("/").map(encodeURIComponent).join("/")}/endpoints`),
        ));
      endpoints.set(id, read);
      const copy = await read();
      if (copy.value === null) throw unknownModel();
      return await send(asked, represent(copy.value), copy);
    },
    async get(id: string, asked: Asked): Promise<Response> {
      const copy = await lists();
      const model = copy.value.all.find((each) => each.id === id);
      if (model !== undefined) return await send(asked, represent(model), copy);
      throw unknownModel();
    },
    /** The names and aliases that the decision group's `model` field takes. */
    async decision(asked: Asked): Promise<Response> {
      parseQuery(searchOf(asked.req.url), {});
      requireKey(decisionProvider);
      const copy = await decisions();
      return await send(asked, whole.decision(copy.value), copy);
    },
  };
}

function unknownModel() {
  return nothingHere("There is no such model.", "The models are at /proxy/v1/models.");
}

/** The names in a parameter's values. */
function namesIn(values: readonly string[] = []): string[] {
  return values.join().toLowerCase().split(",").map((name) => name.trim())
    .filter((name) => name !== "");
}

/**
 * The models that fit: filed under the category, with one of the outputs, and with each of the parameters and inputs
 * that are asked for.
 */
function chooseModels(
  models: readonly Model[],
  { outputs, filed, supported_parameters, input_modalities }: ListQuery & {
    readonly outputs: readonly string[];
    readonly filed: ReadonlyMap<string, number> | null;
  },
): readonly Model[] {
  const parameters = namesIn(supported_parameters);
  const inputs = namesIn(input_modalities);
  const has = (list: unknown, name: string) => Array.isArray(list) && list.includes(name);
  return models.filter((model) => {
    const [given, made] = ["input_modalities", "output_modalities"].map((name) =>
      memberAt(model, "architecture", name)
    );
    return (filed === null || filed.has(model.id)) &&
      parameters.every((name) => has(model["supported_parameters"], name)) &&
      inputs.every((name) => has(given, name)) &&
      (outputs.length === 0 || outputs.includes("all") || outputs.some((name) => has(made, name)));
  });
}

/** The places of models in a list, by their ids. */
function ranksOf(models: readonly Model[]): ReadonlyMap<string, number> {
  return new Map(models.map(({ id }, at) => [id, at]));
}

/** The models of a list, and then those of another that are not among them. */
function merged(first: readonly Model[], second: readonly Model[]): readonly Model[] {
  const known = ranksOf(first);
  return [...first, ...second.filter(({ id }) => !known.has(id))];
}

function represent(body: unknown, isOneOfMany = false) {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  return createRepresentation({ contentType: "application/json", bytes, isOneOfMany });
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
