// A stand-in for the provider of chat, embeddings and images: the part of OpenRouter's API that Foyer uses, which is
// lists of models, and the state of a key and of the account.

import { createProviderStandIn, type ProviderOptions, type ProviderStandIn } from "./provider.ts";
import type { CostFault, ProviderAnswer, ProviderRequest } from "./provider_answer.ts";
import { createRouterAccount, type RouterAccount, showCredits, showKey } from "./router_account.ts";
import { refusal } from "./router_errors.ts";
import { listModels } from "./router_listing.ts";
import { sandboxModels } from "./router_models.ts";

/** The options of the router's stand-in; `apiKey` is the key for inference. */
export interface RouterOptions extends ProviderOptions {
  /** The only key that may read the account's credits. */
  readonly managementKey: string;
  /** How many models put out text, 2,000 unless given; two dozen others come on top. */
  readonly models?: number;
}

/** A running stand-in for the router. */
interface RouterStandIn extends ProviderStandIn {
  /** The account as the next request sees it. */
  readonly account: RouterAccount;
  /** Replaces the models. They are listed unchanged, so an entry may be damaged. */
  setModels(models: readonly unknown[]): void;
}

const DEFAULT_MODELS = 2000;

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
  const account = createRouterAccount();
  let models: readonly unknown[] = sandboxModels(options.models ?? DEFAULT_MODELS);

  function answer(
    { method, path, query, headers }: ProviderRequest,
    fault: CostFault | undefined,
  ): ProviderAnswer {
    if (method !== "GET") return refusal(404);
    const key = headers.get("Authorization");
    const isManagementKey = key === `Bearer ${managementKey}`;
    const isKnown = isManagementKey || key === `Bearer ${apiKey}`;
    switch (path) {
      case "/v1/models":
        return listModels(models, query.get("output_modalities") ?? "text", path, query);
      case "/v1/embeddings/models":
        return listModels(models, "embeddings", path, query);
      case "/v1/key":
        return isKnown ? showKey(account, { isManagementKey }, fault) : refusal(401);
      case "/v1/credits":
        if (!isKnown) return refusal(401);
        if (!isManagementKey) return refusal(403, "Only a management key may read the credits.");
        return showCredits(account, fault);
      default:
        return refusal(404);
    }
  }

  const standIn = createProviderStandIn({ answer, refuse: (status) => refusal(status) }, options);
  return Object.assign(standIn, {
    account,
    setModels(replacement: readonly unknown[]) {
      models = replacement;
    },
  });
}
