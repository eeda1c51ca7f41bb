/**
 * The cost of a response: a small one is parsed, a large one is followed while it passes. Numbers are read as
 * JSON.parse reads them, and parsed as decimal text (`lib/platform/money.ts`).
 */

import { createParser } from "eventsource-parser";
import { collectBytes } from "../../platform/http/body.ts";
import { isObject, parseJson } from "../../platform/json.ts";
import { type NanoUsd, parseUsd } from "../../platform/money.ts";
import { UNKNOWN } from "./failure.ts";
import type { ParsedUsage, Provider } from "./provider.ts";

/**
 * No request costs more than 100 USD: the highest prices on the price lists are below one dollar. A larger
 * amount is a mistake, such as another unit, and counts as unknown.
 */
export const MAX_REQUEST_COST: NanoUsd = 100_000_000_000n;
/** How much of an unusable cost the log shows. */
const MAX_SHOWN_LENGTH = 40;
/** The longest event of a stream that is read, in characters. */
export const MAX_EVENT_LENGTH = 1024 * 1024;
/** The largest response of which a copy is kept while it passes. */
export const MAX_COPY_BYTES = 4 * 1024 * 1024;
/** The copies that one process keeps together. */
export const MAX_COPIES_BYTES = 64 * 1024 * 1024;

const decoder = new TextDecoder();

/** Follows one response that passes. */
export interface Meter {
  push(piece: Uint8Array<ArrayBuffer>): void;
  /** Ends the response: the figures that it stated, and whether it is known to be incomplete. */
  end(): { readonly reading: ParsedUsage; readonly isCut: boolean };
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

/** The text of a whole response, without a byte order mark that precedes it. */
export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** The figures in the text of a whole response; null if it is not a JSON object. */
export function readWhole({ read }: Provider, text: string): ParsedUsage | null {
  const answer = parseJson(text);
  return isObject(answer) ? read(answer) : null;
}

/** Makes the function of a process that begins to follow a response. */
export function createMeter(): (provider: Provider, kind: AnswerKind) => Meter {
  let room = MAX_COPIES_BYTES;

  /** Keeps a copy and parses it at the end; without room for it, the figures stay unknown. */
  function followJson(provider: Provider): Meter {
    let copy: ReturnType<typeof collectBytes> | null = collectBytes();
    function takeCopy() {
      const taken = copy;
      room += taken?.length ?? 0;
      copy = null;
      return taken;
    }
    return {
      push(piece) {
        if (copy === null) return;
        const isKept = copy.length + piece.length <= MAX_COPY_BYTES && piece.length <= room;
        if (!isKept) return void takeCopy();
        room -= piece.length;
        copy.push(piece);
      },
      end() {
        const taken = takeCopy();
        const reading = taken && readWhole(provider, textOf(taken.take()));
        return { reading: reading ?? UNKNOWN, isCut: taken !== null && reading === null };
      },
    };
  }
  return (provider, kind) => kind === "json" ? followJson(provider) : followEvents(provider);
}

/** Parses each event; one that is too long ends that, and the figures so far remain. */
function followEvents({ read }: Provider): Meter {
  let reading = UNKNOWN;
  let isRead = true;
  // The parser removes one byte order mark, so the decoder leaves it.
  const streamed = new TextDecoder("utf-8", { ignoreBOM: true });
  const parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onEvent({ data }) {
      const event = parseJson(data);
      if (isObject(event)) reading = afterEvent(reading, read(event));
    },
    onError({ type }) {
      if (type === "max-buffer-size-exceeded") isRead = false;
    },
  });
  return {
    push(piece) {
      if (isRead) parser.feed(streamed.decode(piece, { stream: true }));
    },
    end() {
      // The cost in the last event counts even if no blank line ends it: the provider charges it.
      if (isRead) parser.feed("\n\n");
      // A stream has no end whose absence could be noticed.
      return { reading, isCut: false };
    },
  };
}

/**
 * The reading after one more event. The last valid cost above zero counts, because a provider may end a
 * stream with an event of zeros. An event changes only what it states.
 */
function afterEvent(before: ParsedUsage, event: ParsedUsage): ParsedUsage {
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

/** An amount in dollars; null for anything else, and above {@linkcode MAX_REQUEST_COST}. */
export function parseRequestCost(value: unknown): NanoUsd | null {
  const amount = typeof value === "number" ? parseUsd(String(value)) : null;
  return amount !== null && amount <= MAX_REQUEST_COST ? amount : null;
}

/**
 * The cost that a response states.
 *
 * @param value undefined or null if there is none.
 * @param parse null for a value that is not a plausible amount.
 */
export function readCost(
  value: unknown,
  parse: (value: unknown) => NanoUsd | null,
): Pick<ParsedUsage, "cost" | "unusableCost"> {
  if (value === undefined || value === null) return { cost: null };
  const cost = parse(value);
  if (cost !== null) return { cost };
  // JSON.stringify would show a number beyond the largest as null.
  const shown = typeof value === "number" ? String(value) : JSON.stringify(value);
  return { cost, unusableCost: shown.slice(0, MAX_SHOWN_LENGTH) };
}
