// A stand-in for the provider of chat, embeddings and images: the part of OpenRouter's API that Foyer uses, which is
// lists of models, and the state of a key and of the account.

import models from "./data/models.json" with { type: "json" };
import { createProviderStandIn, type ProviderOptions, type ProviderStandIn } from "./provider.ts";
import {
  ERROR_TEXTS,
  type FaultStatus,
  jsonAnswer,
  type ProviderAnswer,
  type ProviderRequest,
} from "./provider_answer.ts";

/** The options of the router's stand-in; `apiKey` is the key for inference. */
interface RouterOptions extends ProviderOptions {
  /** The only key that may read the account's credits. */
  readonly managementKey: string;
  /** How many models put out text, 40 unless given; two dozen others come on top. */
  readonly models?: number;
}

/** The figures of an account and of its inference key, in dollars. Tests may set each at any time. */
interface RouterAccount {
  credits: number;
  /** Used by the whole account, ever. */
  usage: number;
  limit: number | null;
  limitRemaining: number | null;
}

/** A running stand-in for the router. */
interface RouterStandIn extends ProviderStandIn {
  /** The account as the next request sees it. */
  readonly account: RouterAccount;
  /** Replaces the models. They are listed unchanged, so an entry may be damaged. */
  setModels(models: readonly unknown[]): void;
}

/**
 * Creates a stand-in. It opens no port: serve `fetch`. Lists need no key.
 *
 * @example
 * ```ts
 * const router = createRouterStandIn({ apiKey: "key", managementKey: "m", now: () => 0, models: 7 });
 * const response = await router.fetch(new Request("http://router.test/v1/models"));
 * if ((await response.json()).total_count !== 7) throw new Error("unexpected");
 * ```
 */
export function createRouterStandIn(options: RouterOptions): RouterStandIn {
  const { apiKey, managementKey } = options;
  const account: RouterAccount = { credits: 250, usage: 87.6543, limit: 20, limitRemaining: 17.75 };
  let listed: readonly unknown[] = modelsOf(options.models ?? 40);

  function answer({ method, path, query, headers }: ProviderRequest): ProviderAnswer {
    if (method !== "GET") return refuse(404);
    const key = headers.get("Authorization");
    const isManagementKey = key === `Bearer ${managementKey}`;
    const isKnown = isManagementKey || key === `Bearer ${apiKey}`;
    switch (path) {
      case "/v1/models":
        return listModels(
          sorted(filed(listed, query.get("category")), query.get("sort")),
          query.get("output_modalities") ?? "text",
        );
      case "/v1/embeddings/models":
        return listModels(listed, "embeddings");
      case "/v1/key":
        return isKnown ? showKey(account, isManagementKey) : refuse(401);
      case "/v1/credits":
        if (!isKnown) return refuse(401);
        if (!isManagementKey) return refuse(403);
        return jsonAnswer({
          data: { total_credits: account.credits, total_usage: account.usage },
        });
      default:
        return showEndpoints(listed, path) ?? refuse(404);
    }
  }

  const standIn = createProviderStandIn({ answer, refuse }, options);
  return Object.assign(standIn, {
    account,
    setModels(replacement: readonly unknown[]) {
      listed = replacement;
    },
  });
}

/**
 * The models of `data/models.json`, `count` of which put out text. The first chooses among the others and has the
 * price `-1`; some are aliases. Beyond their number, numbered copies follow.
 */
function modelsOf(count: number): readonly unknown[] {
  const texts = models.filter((model) => outputsOf(model).includes("text"));
  const others = models.filter((model) => !texts.includes(model));
  const copies = Array.from({ length: Math.max(0, count - texts.length) }, (_, at) => {
    const model = texts[at % texts.length];
    const id = `${model?.id}-${2 + Math.floor(at / texts.length)}`;
    return { ...model, id, canonical_slug: id };
  });
  return [...texts.slice(0, count), ...copies, ...others];
}

/** The models that put out `outputs`, `all` for any. One that does not say what it puts out counts as one for text. */
function listModels(listed: readonly unknown[], outputs: string): ProviderAnswer {
  const wanted = new Set<unknown>(outputs.split(","));
  const data = wanted.has("all")
    ? listed
    : listed.filter((model) => outputsOf(model).some((output) => wanted.has(output)));
  return jsonAnswer({ data, links: { next: null }, total_count: data.length });
}

/** Every third model, beginning with another for each length of a category's name. */
function filed(models: readonly unknown[], category: string | null): readonly unknown[] {
  return models.filter((_, at) => category === null || at % 3 === category.length % 3);
}

/** The orders that need nothing but the list; the router knows more, and ignores what it does not know. */
function sorted(models: readonly unknown[], sort: string | null): readonly unknown[] {
  const price = (model: unknown) => Number(fieldOf(fieldOf(model, "pricing"), "prompt"));
  const orders: Record<string, (model: unknown) => number> = {
    "newest": (model) => -Number(fieldOf(model, "created")),
    "context-high-to-low": (model) => -Number(fieldOf(model, "context_length")),
    "pricing-low-to-high": price,
    "pricing-high-to-low": (model) => -price(model),
  };
  const rank = orders[sort ?? ""];
  return rank === undefined ? models : models.toSorted((a, b) => rank(a) - rank(b));
}

/** The one endpoint that runs a model, if the path is that of its endpoints. */
function showEndpoints(models: readonly unknown[], path: string): ProviderAnswer | null {
  const id = decodeURIComponent(/^\/v1\/models\/(.+)\/endpoints$/.exec(path)?.[1] ?? "");
  const model = models.find((each) => fieldOf(each, "id") === id);
  if (model === undefined) return null;
  const [name, created, description, architecture] = [
    "name",
    "created",
    "description",
    "architecture",
  ].map((member) => fieldOf(model, member));
  const endpoint = {
    name: `Sandbox | ${id}`,
    model_id: id,
    model_name: name,
    provider_name: "Sandbox",
    tag: "sandbox",
    context_length: fieldOf(model, "context_length"),
    max_completion_tokens: null,
    max_prompt_tokens: null,
    pricing: fieldOf(model, "pricing"),
    quantization: null,
    supported_parameters: fieldOf(model, "supported_parameters"),
    supports_implicit_caching: false,
    supports_tool_choice: { auto: true, function: true, none: true, required: true },
    status: 0,
    latency_last_30m: null,
    throughput_last_30m: null,
    uptime_last_1d: null,
    uptime_last_30m: null,
    uptime_last_5m: null,
  };
  const data = { id, name, created, description, architecture, endpoints: [endpoint] };
  return jsonAnswer({ data });
}

function outputsOf(model: unknown): readonly unknown[] {
  const outputs = fieldOf(fieldOf(model, "architecture"), "output_modalities");
  return Array.isArray(outputs) ? outputs : ["text"];
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function showKey(account: RouterAccount, isManagementKey: boolean): ProviderAnswer {
  return jsonAnswer({
    data: {
      label: isManagementKey ? "sandbox management" : "sandbox",
      limit: account.limit,
      limit_remaining: account.limitRemaining,
      limit_reset: "daily",
      usage: 61.2,
      usage_daily: 2.25,
      usage_weekly: 9.5,
      usage_monthly: 31.125,
      is_free_tier: false,
      is_management_key: isManagementKey,
    },
  });
}

/** Errors have one layout, whose `code` is a number. */
function refuse(status: FaultStatus): ProviderAnswer {
  const error = { code: status, message: ERROR_TEXTS[status] };
  return jsonAnswer({ error, user_id: null }, { status });
}
