/** The web search provider (Exa-compatible): each response states its cost. */

import type { Config } from "../config.ts";
import { parseRequestCost, readCost } from "./meter.ts";
import type { Endpoint, Provider } from "./provider.ts";
import { ANSWER, estimateContents, estimateSearch } from "./websearch_prices.ts";

const COST = ["costDollars", "total"];

/** The endpoints of the web search group. */
export function createWebsearchEndpoints(config: Config) {
  const provider = createProvider(config);
  const endpoint = (path: string, estimate: Endpoint["estimate"]): Endpoint => ({
    provider,
    path,
    // The provider validates its open-ended fields itself (contract, section 2).
    validate: () => {},
    model: () => null,
    estimate,
    rewrite: null,
  });
  return {
    search: endpoint("/search", estimateSearch),
    findSimilar: endpoint("/findSimilar", estimateSearch),
    contents: endpoint("/contents", estimateContents),
    answer: endpoint("/answer", () => ANSWER),
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
    read: (last) => ({
      ...readCost(last(COST), parseRequestCost),
      inputTokens: null,
      outputTokens: null,
      model: null,
    }),
    rewriteAnswer: null,
  };
}
