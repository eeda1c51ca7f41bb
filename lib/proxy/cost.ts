/** Which costs count that a provider states, and which is the last word of a stream. */

import { type NanoUsd, parseUsd } from "../money.ts";
import type { Reading } from "./provider.ts";

/**
 * No request costs more than 100 USD: the dearest that the price lists know are below one dollar, and no
 * estimate of a search is above {@linkcode MAX_ESTIMATE}. What is stated above it is a mistake, such as
 * an amount in another unit, and so not known.
 */
export const MAX_REQUEST_COST: NanoUsd = 100_000_000_000n;
/**
 * No search is forwarded whose estimate is above 5 USD: so one request, which may be the last one that the
 * limit admits, never passes a day's limit by more. A hundred pages with eight subpages each, in every
 * content type, are below it.
 */
export const MAX_ESTIMATE: NanoUsd = 5_000_000_000n;
/** What is kept for the log of a text that is no cost. */
const MAX_SHOWN_LENGTH = 40;

/** The amount that a text says in dollars; null also above {@linkcode MAX_REQUEST_COST}. */
export function parseRequestCost(text: string): NanoUsd | null {
  const amount = parseUsd(text);
  return amount !== null && amount <= MAX_REQUEST_COST ? amount : null;
}

/** What an answer says of its price. */
type Price = Pick<Reading, "cost" | "unusableCost">;

/**
 * The cost that an answer states.
 *
 * @param text the JSON text at the place of the cost; null, also as JSON, if there is none.
 * @param parse the amount that the text says, or null for what says none that can be meant.
 */
export function readCost(
  text: string | null,
  parse: (text: string) => NanoUsd | null,
): Price {
  if (text === null || text === "null") return { cost: null };
  const cost = parse(text);
  return cost === null ? { cost, unusableCost: text.slice(0, MAX_SHOWN_LENGTH) } : { cost };
}

/**
 * What a stream has said after one more of its events. The last valid cost above zero counts: a provider
 * may end a stream with an event of zeros. What an event does not say stays as it was.
 */
export function afterEvent(before: Reading, event: Reading): Reading {
  const isLastWord = event.cost !== null && (event.cost > 0n || before.cost === null);
  const unusableCost = event.unusableCost ?? before.unusableCost;
  return {
    cost: isLastWord ? event.cost : before.cost,
    ...(unusableCost !== undefined && { unusableCost }),
    inputTokens: event.inputTokens ?? before.inputTokens,
    outputTokens: event.outputTokens ?? before.outputTokens,
    model: event.model ?? before.model,
  };
}
