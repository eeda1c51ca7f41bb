/** The decision provider (System One-compatible). Responses state tokens; the configuration has their price. */

import type { Config } from "../platform/config/config.ts";
import { type JsonObject, memberAt, memberOf } from "../platform/json.ts";
import { divideUp, type NanoUsd } from "../platform/money.ts";
import { toCaller, toProvider } from "./internal/decision_model_name.ts";
import { validateDecision } from "./decision_request.ts";
import { readCost } from "./internal/meter.ts";
import type { Endpoint, Provider } from "./internal/provider.ts";

/** Tokens that the provider adds around a body. */
export const OVERHEAD_TOKENS = 1_024n;
/** The largest charge for an image of any size in bytes: two tokens for each 28 × 28 pixels of 1568 × 1568. */
export const IMAGE_TOKENS = 6_272n;
/** Ten times as many as the largest configurable body can have: a larger number is a mistake. */
export const MAX_STATED_TOKENS = 1_000_000_000;
const MILLION = 1_000_000n;
/** The price of a million input tokens, in nano-dollars: the provider's price. */
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
    ...prefix !== undefined && { rewrite: (bytes) => toProvider(bytes, prefix) },
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
    headersUp: ["typesafe-danger-zone-"],
    headersDown: ["x-typesafe-request-id"],
    read(answer) {
      const [stated, model] = [
        memberAt(answer, "usage", "input_tokens"),
        memberOf(answer, "model"),
      ];
      const inputTokens = wholeNumber(stated);
      const price = readCost(
        stated,
        () => inputTokens === null ? null : priceOf(BigInt(inputTokens)),
      );
      return {
        ...price,
        inputTokens,
        outputTokens: wholeNumber(memberAt(answer, "usage", "output_tokens")),
        model: typeof model === "string" ? model : null,
      };
    },
    ...prefix !== undefined && { rewriteAnswer: (bytes) => toCaller(bytes, prefix) },
  };
}

function imagesOf(body: JsonObject): bigint {
  const assets = memberOf(body, "assets");
  if (typeof assets !== "object" || assets === null) return 0n;
  return BigInt(Object.keys(assets).length);
}

/** The price of input tokens, rounded up; output tokens are free. */
function priceOf(inputTokens: bigint): NanoUsd {
  return divideUp(inputTokens * PRICE_PER_MILLION_TOKENS, MILLION);
}

/** A plausible number of tokens, else null. */
function wholeNumber(value: unknown): number | null {
  const isPlausible = Number.isInteger(value) && Number(value) >= 0 &&
    Number(value) <= MAX_STATED_TOKENS;
  return isPlausible ? Number(value) : null;
}
