// An answer as server-sent events, as the provider frames them: words, then the citations, then the cost.

import { type ProviderAnswer, withFigure } from "./provider_answer.ts";
import type { Composed } from "./websearch_results.ts";

/** The parts of a stream besides the answer. */
interface StreamOptions {
  readonly requestId: string;
  /** In milliseconds since 1970. */
  readonly at: number;
  /** With the mark of `figure` for its total; unset: left out. */
  readonly costDollars?: Readonly<Record<string, unknown>>;
  readonly figure: string;
  readonly chargeNanoUsd: bigint;
}

/** A delta for each word. The cost comes last, in an event of its own; no `[DONE]` follows. */
export function streamAnswer(
  { answer, citations }: Composed,
  options: StreamOptions,
): ProviderAnswer {
  const { requestId, at, costDollars, figure, chargeNanoUsd } = options;
  const common = {
    id: requestId,
    object: "chat.completion.chunk",
    created: Math.floor(at / 1000),
    model: "exa",
    sandbox: true,
  };
  const words = answer.match(/\S+\s*/g) ?? [];
  const deltas = words.map((content, index) => ({
    ...common,
    choices: [{
      index: 0,
      delta: index === 0 ? { role: "assistant", content } : { content },
      finish_reason: index === words.length - 1 ? "stop" : null,
    }],
  }));
  const last = { requestId, sandbox: true, ...(costDollars ? { costDollars } : {}) };
  return {
    status: 200,
    headers: { "Content-Type": "text/event-stream; charset=utf-8" },
    parts: [
      ...[...deltas, { ...common, citations }].map((event) => frame(JSON.stringify(event))),
      frame(withFigure(JSON.stringify(last), figure)),
    ],
    isEventStream: true,
    chargeNanoUsd,
  };
}

function frame(json: string): string {
  return `data: ${json}\n\n`;
}
