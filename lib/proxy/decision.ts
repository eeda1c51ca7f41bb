/** The decision provider (System One-compatible). Responses state tokens; the configuration has their price. */

import type { Config } from "../platform/config/config.ts";
import { type JsonObject, memberOf } from "../platform/json.ts";
import { divideUp, type NanoUsd } from "../platform/money.ts";
import { toCaller, toProvider } from "./decision_model_name.ts";
import { validateDecision } from "./decision_request.ts";
import { readCost } from "./meter.ts";
import type { Endpoint, Provider } from "./provider.ts";

const INPUT_TOKENS = ["usage", "input_tokens"];
const OUTPUT_TOKENS = ["usage", "output_tokens"];
const MODEL = ["model"];

/** Tokens that the provider adds around a body. */
export const OVERHEAD_TOKENS = 1_024n;
/** The largest charge for an image of any size in bytes: two tokens for each 28 × 28 pixels of 1568 × 1568. */
export const IMAGE_TOKENS = 6_272n;
/** Ten times as many as the largest configurable body can have: a larger number is a mistake. */
export const MAX_STATED_TOKENS = 1_000_000_000;
const MILLION = 1_000_000n;
/** What members pay for a million input tokens, in nano-dollars: the provider's price. */
export const PRICE_PER_MILLION_TOKENS = 42_000_000n;

/** The endpoints of the decision group. */
export function createDecisionEndpoints(config: Config) {
  const { DECISION_MODEL_PREFIX: prefix } = config;
  const decision: Endpoint = {
    provider: createDecisionProvider(config),
    path: "/v1/systemone",
    validate: validateDecision,
    model: ({ model }) => typeof model === "string" ? model : "decision-latest",
    // A token takes at least one byte of the body.
    estimate: (body, bytes) =>
      priceOf(BigInt(bytes) + OVERHEAD_TOKENS + imagesOf(body) * IMAGE_TOKENS),
    rewrite: prefix === undefined ? null : (bytes) => toProvider(bytes, prefix),
  };
  return { decision };
}

/** The provider of decisions and of the list of their models. */
export function createDecisionProvider(config: Config): Provider {
  const { DECISION_MODEL_PREFIX: prefix } = config;
  return {
    name: "the decision provider",
    apiUrl: config.DECISION_API_URL,
    keyVariable: "DECISION_API_KEY",
    apiKey: config.DECISION_API_KEY,
    authorization: (apiKey) => ({ "authorization": `Bearer ${apiKey}` }),
    passesOn: (headerName) => headerName.startsWith("typesafe-danger-zone-"),
    headersDown: ["x-typesafe-request-id"],
    paths: [INPUT_TOKENS, OUTPUT_TOKENS, MODEL],
    read(last) {
      const price = readCost(last(INPUT_TOKENS), (text) => {
        const tokens = wholeNumber(text);
        if (tokens === null || tokens > MAX_STATED_TOKENS) return null;
        return priceOf(BigInt(tokens));
      });
      return {
        ...price,
        // An implausible number is not recorded either.
        inputTokens: price.cost === null ? null : wholeNumber(last(INPUT_TOKENS)),
        outputTokens: wholeNumber(last(OUTPUT_TOKENS)),
        model: stringOf(last(MODEL)),
      };
    },
    rewriteAnswer: prefix === undefined ? null : (bytes) => toCaller(bytes, prefix),
  };
}

/** The number of images in `assets`. */
function imagesOf(body: JsonObject): bigint {
  const assets = memberOf(body, "assets");
  if (typeof assets !== "object" || assets === null) return 0n;
  return BigInt(Object.keys(assets).length);
}

/** The price of input tokens, rounded up; output tokens are free. */
function priceOf(inputTokens: bigint): NanoUsd {
  return divideUp(inputTokens * PRICE_PER_MILLION_TOKENS, MILLION);
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function stringOf(text: string | null): string | null {
  // The scanner cuts off long names, which then lack their closing quote. No model has such a name.
  return text !== null && /^"[^"\\]*"$/.test(text) ? text.slice(1, -1) : null;
}
