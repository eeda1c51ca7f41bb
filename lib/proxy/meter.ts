/** Reads the cost of a response from a copy of its bytes: JSON at its end, a stream after each event. */

import { type NanoUsd, parseUsd } from "../platform/money.ts";
import { UNKNOWN } from "./failure.ts";
import { JsonScanner } from "./json_scan.ts";
import type { Provider, Reading } from "./provider.ts";
import { SseScanner } from "./sse_scan.ts";

/**
 * No request costs more than 100 USD: the highest prices on the price lists are below one dollar. A larger
 * amount is a mistake, such as another unit, and counts as unknown.
 */
export const MAX_REQUEST_COST: NanoUsd = 100_000_000_000n;
/** How much of an unusable cost the log shows. */
const MAX_SHOWN_LENGTH = 40;

/** Reads one response. */
export interface Meter {
  /** Reads on; the chunk is not kept. */
  push(chunk: Uint8Array): void;
  /** The figures that the response has stated so far. */
  read(): Reading;
  /** Whether it was a whole JSON object; a stream of events is never known to be whole. */
  isWhole(): boolean;
}

/** The types that a provider may send. */
type AnswerKind = "json" | "events";

/** The kind of a response by its `Content-Type`; null for any other type. */
export function answerKind(contentType: string | null): AnswerKind | null {
  if (contentType === "application/json") return "json";
  const type = contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "text/event-stream") return "events";
  return /^application\/(?:[\w.-]+\+)?json$/.test(type) ? "json" : null;
}

/** Creates a meter for one response. */
export function createMeter({ paths, read }: Provider, kind: AnswerKind): Meter {
  if (kind === "json") {
    const scanner = new JsonScanner(paths);
    return {
      push: (chunk) => scanner.push(chunk),
      read: () => read(scanner.last),
      isWhole: () => scanner.isWhole,
    };
  }
  let reading = UNKNOWN;
  const scanner = new SseScanner(paths, (last) => {
    reading = afterEvent(reading, read(last));
  });
  return {
    push: (chunk) => scanner.push(chunk),
    read() {
      scanner.end();
      return reading;
    },
    isWhole: () => false,
  };
}

/**
 * The reading after one more event. The last valid cost above zero counts, because a provider may end a
 * stream with an event of zeros. An event changes only what it states.
 */
function afterEvent(before: Reading, event: Reading): Reading {
  const isLater = event.cost !== null && (event.cost > 0n || before.cost === null);
  const unusableCost = event.unusableCost ?? before.unusableCost;
  return {
    cost: isLater ? event.cost : before.cost,
    ...(unusableCost !== undefined && { unusableCost }),
    inputTokens: event.inputTokens ?? before.inputTokens,
    outputTokens: event.outputTokens ?? before.outputTokens,
    model: event.model ?? before.model,
  };
}

/** Parses an amount in dollars; null also above {@linkcode MAX_REQUEST_COST}. */
export function parseRequestCost(text: string): NanoUsd | null {
  const amount = parseUsd(text);
  return amount !== null && amount <= MAX_REQUEST_COST ? amount : null;
}

/**
 * The cost that a response states.
 *
 * @param text the JSON text of the cost; null or `null` if there is none.
 * @param parse null for a text that is not a plausible amount.
 */
export function readCost(
  text: string | null,
  parse: (text: string) => NanoUsd | null,
): Pick<Reading, "cost" | "unusableCost"> {
  if (text === null || text === "null") return { cost: null };
  const cost = parse(text);
  return cost === null ? { cost, unusableCost: text.slice(0, MAX_SHOWN_LENGTH) } : { cost };
}
