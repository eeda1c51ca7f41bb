/**
 * Upper estimates of what web search requests cost, by the provider's price list as of November 2026. Fields
 * with values that the provider does not document count as the dearest that it does; numbers above the
 * ceilings in this file count as the ceiling.
 */

import { isObject, type JsonObject, memberOf } from "../json.ts";
import type { NanoUsd } from "../money.ts";

/** 0.001 USD. */
const MILLI_USD = 1_000_000n;

/** One search of up to ten results by `type`; every other type costs `DEAREST_SEARCH` at most. */
const SEARCH: ReadonlyMap<unknown, NanoUsd> = new Map<unknown, NanoUsd>([
  // The default, and what null stands for.
  [undefined, 7n * MILLI_USD],
  [null, 7n * MILLI_USD],
  ["auto", 7n * MILLI_USD],
  ["fast", 7n * MILLI_USD],
  // 0.004 by a third party only, so as `auto`.
  ["instant", 7n * MILLI_USD],
  ["lite", 4n * MILLI_USD],
  ["deep", 12n * MILLI_USD],
  ["deep-reasoning", 15n * MILLI_USD],
]);
const DEAREST_SEARCH = 15n * MILLI_USD;
const RESULT_ABOVE_INCLUDED = MILLI_USD;
const SUMMARY = MILLI_USD;
/** One page and one content type of `contents`; also what a subpage of a search is taken for. */
const PAGE = MILLI_USD;
/** A question that is answered, whatever is read for it. */
export const ANSWER = 5n * MILLI_USD;

/** Results that the price of a search includes, and how many there are when nobody says. */
const INCLUDED_RESULTS = 10;
/** The provider gives no more results, and reads no more pages, per request. */
const MAX_RESULTS = 100;
/** Subpages per page; the provider names no limit, so this is ours. */
const MAX_SUBPAGES = 10;

/** A search, or one for pages similar to a page, with the contents that it asks for. */
export function estimateSearch(body: JsonObject): NanoUsd {
  const results = countOf(memberOf(body, "numResults"), INCLUDED_RESULTS, 1, MAX_RESULTS);
  const contents = memberOf(body, "contents");
  const options = isObject(contents) ? contents : {};
  const isOdd = !isObject(contents) && isAsked(contents);
  const summaries = isOdd || isAsked(memberOf(options, "summary")) ? results : 0;
  const subpages = results * subpagesOf(options);
  return (SEARCH.get(memberOf(body, "type")) ?? DEAREST_SEARCH) +
    BigInt(Math.max(0, results - INCLUDED_RESULTS)) * RESULT_ABOVE_INCLUDED +
    BigInt(summaries) * SUMMARY +
    BigInt(subpages) * pagePrice(options);
}

/** Pages that are named, in every content type that is asked for. */
export function estimateContents(body: JsonObject): NanoUsd {
  const pages = Math.min(MAX_RESULTS, pagesOf(body, "urls") + pagesOf(body, "ids"));
  return BigInt(pages * (1 + subpagesOf(body))) * pagePrice(body);
}

/** One page in every content type that was asked for; the text, if none was. */
function pagePrice(options: JsonObject): NanoUsd {
  const types = ["text", "highlights", "summary"].filter((name) =>
    isAsked(memberOf(options, name))
  );
  // A summary is listed both as a content type and as an extra: the dearer reading.
  const summary = types.includes("summary") ? SUMMARY : 0n;
  return BigInt(Math.max(1, types.length)) * PAGE + summary;
}

function pagesOf(body: JsonObject, name: string): number {
  const value = memberOf(body, name);
  if (value === undefined || value === null) return 0;
  return Array.isArray(value) ? value.length : MAX_RESULTS;
}

function subpagesOf(options: JsonObject): number {
  return countOf(memberOf(options, "subpages"), 0, 0, MAX_SUBPAGES);
}

/** A whole number from `min`, at most `max`; `absent` without one, `max` for anything odd. */
function countOf(value: unknown, absent: number, min: number, max: number): number {
  if (value === undefined || value === null) return absent;
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= min;
  return isCount ? Math.min(value, max) : max;
}

function isAsked(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}
