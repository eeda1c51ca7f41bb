/** Reads from a copy on the side what an answer cost: JSON at its end, events one by one. */

import { afterEvent } from "./cost.ts";
import { UNKNOWN } from "./failure.ts";
import { createJsonScanner } from "./json_scan.ts";
import type { JsonPath, Provider, Reading } from "./provider.ts";
import { createSseScanner } from "./sse_scan.ts";

/** A meter on one answer. */
export interface Meter {
  /** Reads on; the chunk is not kept. */
  push(chunk: Uint8Array): void;
  /** What the answer has said up to now. */
  read(): Reading;
  /** Whether it was a whole JSON object; a stream of events is never known to be whole. */
  isWhole(): boolean;
}

/** What a provider's answer may be. */
type AnswerKind = "json" | "events";

/** The kind of an answer by its `Content-Type`; null for what no provider sends on purpose. */
export function answerKind(contentType: string | null): AnswerKind | null {
  const type = contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "text/event-stream") return "events";
  return /^application\/(?:[\w.-]+\+)?json$/.test(type) ? "json" : null;
}

/** Makes a meter for an answer of a kind. */
export function createMeter(provider: Provider, kind: AnswerKind): Meter {
  return kind === "events" ? eventsMeter(provider) : jsonMeter(provider);
}

function eventsMeter({ paths, read }: Provider): Meter {
  let reading = UNKNOWN;
  const scanner = createSseScanner(paths, (last) => {
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

function jsonMeter({ paths, read }: Provider): Meter {
  const scanner = createJsonScanner(paths);
  const last = (path: JsonPath) => scanner.end().matches(path).at(-1)?.text ?? null;
  return {
    push: (chunk) => scanner.push(chunk),
    read: () => read(last),
    isWhole: () => scanner.end().isWhole,
  };
}
