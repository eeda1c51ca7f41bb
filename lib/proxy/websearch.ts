/**
 * The web search provider (Exa-compatible): each response states its cost. A request's cost is estimated from above,
 * by the provider's price list as of November 2026. Estimates grow with every count in a body: results, subpages, pages,
 * queries; a count that may mean "the default" is priced as the default. The price of a page depends on its content types, not on how much of it is returned (characters, sentences,
 * links).
 *
 * An option without a known price counts as the dearest. A count that is not a whole number, and an estimate above
 * `MAX_ESTIMATE`, are refused with 422. Reserving the rest of the day instead would refuse the account's other
 * requests with 402 while one mistaken body is in progress, and would name no field.
 */

import type { Config } from "../platform/config/config.ts";
import { PublicError } from "../platform/http/errors.ts";
import { isObject, type JsonObject, memberAt, memberOf } from "../platform/json.ts";
import { formatUsd, type NanoUsd } from "../platform/money.ts";
import { parseRequestCost, readCost } from "./internal/meter.ts";
import type { Endpoint, Provider } from "./internal/provider.ts";

/** The endpoints of the web search group. */
export function createWebsearchEndpoints(config: Config) {
  const provider = createProvider(config);
  // The provider validates its open-ended fields itself.
  const endpoint = (path: string, estimate: Endpoint["estimate"]): Endpoint => (
    { provider, path, estimate }
  );
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
    // The option `betas` of its client.
    headersUp: ["exa-beta"],
    read: (answer) => ({
      ...readCost(memberAt(answer, "costDollars", "total"), parseRequestCost),
      inputTokens: null,
      outputTokens: null,
      model: null,
    }),
  };
}

/**
 * No search is forwarded whose estimate is above 5 USD, so one request, perhaps the last one before the limit,
 * exceeds a day's limit by no more. A hundred pages with eight subpages each, in every content type, cost less.
 */
export const MAX_ESTIMATE: NanoUsd = 5_000_000_000n;
/** 0.001 USD. */
const MILLI_USD = 1_000_000n;

/** One search of up to ten results by `type`; every other type costs `DEAREST_SEARCH` at most. */
export const SEARCH: ReadonlyMap<unknown, NanoUsd> = new Map<unknown, NanoUsd>([
  // Without a type, or with null, the provider uses `auto`.
  [undefined, 7n * MILLI_USD],
  [null, 7n * MILLI_USD],
  ["auto", 7n * MILLI_USD],
  ["fast", 7n * MILLI_USD],
  // Only a third party lists 0.004, so this type counts as `auto`.
  ["instant", 7n * MILLI_USD],
  ["lite", 4n * MILLI_USD],
  ["deep", 12n * MILLI_USD],
  ["deep-reasoning", 15n * MILLI_USD],
]);
export const DEAREST_SEARCH = 15n * MILLI_USD;
const RESULT_ABOVE_INCLUDED = MILLI_USD;
const SUMMARY = MILLI_USD;
/** One page in one content type of `contents`; also assumed for a subpage of a search. */
export const PAGE = MILLI_USD;
/** An answered question, however many pages are read for it. */
export const ANSWER = 5n * MILLI_USD;

const CONTENT_TYPES = ["text", "highlights", "summary", "extras"] as const;

/** The results that the price of a search includes, and the default number. */
export const INCLUDED_RESULTS = 10n;

/**
 * A search, or a search for similar pages, with the contents that it asks for.
 *
 * @throws {PublicError} `validation_failed` for an invalid count or too high an estimate.
 */
export function estimateSearch(body: JsonObject): NanoUsd {
  // The provider may take 0 for its default.
  const results = countOf(body, "numResults") || INCLUDED_RESULTS;
  // No price is listed for further queries, so each counts as a search.
  const queries = 1n + lengthOf(body, "additionalQueries");
  // The price of a search includes the text and highlights of each result.
  const { summary, extras, subpages, page } = contentsOf(body);
  const above = results > INCLUDED_RESULTS ? results - INCLUDED_RESULTS : 0n;
  return atMost(
    queries * (SEARCH.get(memberOf(body, "type")) ?? DEAREST_SEARCH) +
      above * RESULT_ABOVE_INCLUDED +
      results * (summary + extras + subpages * page),
    "numResults, contents.subpages and additionalQueries",
  );
}

/**
 * The named pages and their subpages in every requested content type.
 *
 * @throws {PublicError} as {@linkcode estimateSearch} does.
 */
function estimateContents(body: JsonObject): NanoUsd {
  const pages = lengthOf(body, "urls") + lengthOf(body, "ids");
  const { subpages, page } = contentsOf(body);
  return atMost(pages * (1n + subpages) * page, "urls and subpages");
}

/**
 * The requested contents of each page. Their documented place is `contents`, or the top level for `/contents`; both
 * are read, in case the provider reads both.
 */
function contentsOf(body: JsonObject) {
  const contents = memberOf(body, "contents");
  const isSwitch = contents === undefined || contents === null || typeof contents === "boolean";
  if (!isSwitch && !isObject(contents)) {
    throw refusal("contents", "contents must be an object: it selects what each page returns.");
  }
  const inner = isObject(contents) ? contents : {};
  const asked = CONTENT_TYPES.filter((name) =>
    contents === true || isOn(memberOf(body, name)) || isOn(memberOf(inner, name))
  );
  const outer = countOf(body, "subpages") ?? 0n;
  const nested = countOf(inner, "subpages", "contents.subpages") ?? 0n;
  const summary = asked.includes("summary") ? SUMMARY : 0n;
  return {
    summary,
    extras: asked.includes("extras") ? PAGE : 0n,
    subpages: outer > nested ? outer : nested,
    // One page in every requested content type; by default the text. The price list names a summary both as a content
    // type and as an extra, so it counts as both.
    page: BigInt(Math.max(1, asked.length)) * PAGE + summary,
  };
}

/** A whole number from 0; null if the member is absent. */
function countOf(object: JsonObject, name: string, field = name): bigint | null {
  const value = memberOf(object, name);
  if (value === undefined || value === null) return null;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0) return BigInt(value);
  throw refusal(field, `${field} must be a whole number from 0, such as 3.`);
}

/** The number of items of a list; 0 if the member is absent. */
function lengthOf(body: JsonObject, name: string): bigint {
  const value = memberOf(body, name);
  if (value === undefined || value === null) return 0n;
  if (Array.isArray(value)) return BigInt(value.length);
  throw refusal(name, `${name} must be an array, even of one value.`);
}

function isOn(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

function atMost(estimate: NanoUsd, counts: string): NanoUsd {
  if (estimate <= MAX_ESTIMATE) return estimate;
  throw refusal(
    "body",
    `The request may cost up to ${shown(estimate)} USD, above the ${
      formatUsd(MAX_ESTIMATE)
    } USD that ` +
      `one request may cost: ask for less at once, since ${counts} multiply.`,
  );
}

/** An amount for a sentence, without the digits of absurd amounts. */
function shown(estimate: NanoUsd): string {
  return estimate < 10n ** 18n ? formatUsd(estimate) : "more than 1000000000";
}

function refusal(field: string, message: string): PublicError {
  return new PublicError("validation_failed", message, { field, errors: [{ field, message }] });
}
