// What the web search stand-in charges.

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

/** A search by its type: a thousandth of a dollar more for each result above ten, and for each summary. */
export function searchCost(type: unknown, results: number, summaries: number): Cost {
  const base = SEARCH_MILLI_USD[String(type)] ?? USUAL_SEARCH_MILLI_USD;
  const above = BigInt(Math.max(0, results - RESULTS_INCLUDED));
  return {
    search: (base + above) * MILLI_USD,
    ...(summaries === 0 ? {} : { contents: { summary: BigInt(summaries) * MILLI_USD } }),
  };
}

/** A thousandth of a dollar per page and kind of content. */
export function contentsCost(pages: number, kinds: readonly string[]): Cost {
  const perKind = BigInt(pages) * MILLI_USD;
  return { contents: Object.fromEntries(kinds.map((kind) => [kind, perKind])) };
}

/** The same for every answer. */
export const ANSWER_COST: Cost = { search: 5n * MILLI_USD };

/** The sum. */
export function totalOf({ search = 0n, contents = {} }: Cost): bigint {
  return Object.values(contents).reduce((total, part) => total + part, search);
}
