// The prices of the web search stand-in.

import { MILLI_USD } from "./money.ts";

const SEARCH_MILLI_USD: Readonly<Record<string, bigint>> = {
  lite: 4n,
  instant: 4n,
  "deep-lite": 12n,
  deep: 12n,
  "deep-reasoning": 15n,
};
const USUAL_SEARCH_MILLI_USD = 7n;
const RESULTS_INCLUDED = 10;

/** Nano-dollars by what they are for. */
export interface Cost {
  readonly search?: bigint;
  readonly contents?: Readonly<Record<string, bigint>>;
}

/**
 * A search by its type: a thousandth of a dollar more for each result above ten, and for each summary; its
 * subpages are priced as contents are.
 */
export function searchCost(
  type: unknown,
  results: number,
  subpages: number,
  kinds: readonly string[],
): Cost {
  const base = SEARCH_MILLI_USD[String(type)] ?? USUAL_SEARCH_MILLI_USD;
  const above = BigInt(Math.max(0, results - RESULTS_INCLUDED));
  const search = (base + above) * MILLI_USD;
  const summaries = kinds.includes("summary") ? BigInt(results) * MILLI_USD : 0n;
  const { contents } = contentsCost(subpages, kinds);
  const summary = summaries + (contents["summary"] ?? 0n);
  const priced = { ...contents, ...(summary === 0n ? {} : { summary }) };
  const charged = Object.entries(priced).filter(([, part]) => part > 0n);
  return { search, ...(charged.length === 0 ? {} : { contents: Object.fromEntries(charged) }) };
}

/** A thousandth of a dollar per page and kind of content; the text, if no kind is requested. */
export function contentsCost(pages: number, kinds: readonly string[]) {
  const perKind = BigInt(pages) * MILLI_USD;
  const asked = kinds.length === 0 ? ["text"] : kinds;
  const contents: Readonly<Record<string, bigint>> = Object.fromEntries(
    asked.map((kind) => [kind, perKind]),
  );
  return { contents };
}

/** The same for every answer. */
export const ANSWER_COST: Cost = { search: 5n * MILLI_USD };

/** The sum. */
export function totalOf({ search = 0n, contents = {} }: Cost): bigint {
  return Object.values(contents).reduce((total, part) => total + part, search);
}
