/** The web search provider (Exa-compatible): each answer says what it cost. */

import type { Config } from "../config.ts";
import { parseUsd } from "../money.ts";
import { estimateWebsearch, type WebsearchEndpoint } from "./prices.ts";
import type { Endpoint, Provider } from "./provider.ts";

const COST = ["costDollars", "total"];

/** The endpoints of the web search group. */
export function createWebsearchEndpoints(config: Config): Record<WebsearchEndpoint, Endpoint> {
  const provider = createProvider(config);
  const endpoint = (name: WebsearchEndpoint): Endpoint => ({
    name,
    provider,
    path: `/${name}`,
    // The provider's fields are open-ended (contract, section 2): it judges them itself.
    validate: () => {},
    model: () => null,
    estimate: (body) => estimateWebsearch(name, body),
    rewrite: null,
  });
  return {
    search: endpoint("search"),
    findSimilar: endpoint("findSimilar"),
    contents: endpoint("contents"),
    answer: endpoint("answer"),
  };
}

function createProvider({ WEBSEARCH_API_URL, WEBSEARCH_API_KEY }: Config): Provider {
  return {
    name: "the web search provider",
    apiUrl: WEBSEARCH_API_URL,
    keyVariable: "WEBSEARCH_API_KEY",
    apiKey: WEBSEARCH_API_KEY,
    authorization: (apiKey) => ({ "x-api-key": apiKey }),
    passesOn: null,
    headersDown: [],
    paths: [COST],
    read(last) {
      const cost = last(COST);
      return {
        cost: cost === null ? null : parseUsd(cost),
        inputTokens: null,
        outputTokens: null,
        model: null,
      };
    },
    rewriteAnswer: null,
  };
}
