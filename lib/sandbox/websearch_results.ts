// The web search stand-in's results with their contents, and answers made from them.

import { type ProviderAnswer, withFigure } from "./provider_answer.ts";
import { bestSentences, type Hit, type Page } from "./websearch_index.ts";
import type { ContentsOptions } from "./websearch_request.ts";

const HIGHLIGHTS = 2;
const ANSWER_PAGES = 3;

/** A result; highlights and summary are about `question`, unless they have their own query. */
export function resultOf(
  { page, score }: { page: Page; score?: number },
  contents: ContentsOptions,
  question: string,
): Record<string, unknown> {
  const { text, highlights, summary } = contents;
  const chosen = highlights
    ? bestSentences(page.text, highlights.query ?? question, HIGHLIGHTS)
    : [];
  return {
    ...describe(page),
    ...(score === undefined ? {} : { score }),
    ...(text ? { text: page.text.slice(0, text.maxCharacters) } : {}),
    ...(highlights
      ? {
        highlights: chosen.map(({ sentence }) => sentence.slice(0, highlights.maxCharacters)),
        highlightScores: chosen.map(({ score }) => score),
      }
      : {}),
    ...(summary
      ? { summary: bestSentences(page.text, summary.query ?? question, 1)[0]?.sentence ?? "" }
      : {}),
  };
}

/** An answer in words and the pages that it is taken from. */
interface Composed {
  readonly answer: string;
  readonly citations: readonly Record<string, unknown>[];
}

/** The sentence of each of the best pages that fits the question best. */
export function compose(hits: readonly Hit[], question: string, withText: boolean): Composed {
  const best = hits.slice(0, ANSWER_PAGES);
  const fitting = best.filter(({ score }) => score > 0);
  const used = fitting.length > 0 ? fitting : best.slice(0, 1);
  const sentences = used.map(({ page }, i) =>
    `${bestSentences(page.text, question, 1)[0]?.sentence ?? page.title} [${i + 1}]`
  );
  return {
    answer: ["From the sandbox:", ...sentences].join(" "),
    citations: used.map(({ page }) => ({
      ...describe(page),
      ...(withText ? { text: page.text } : {}),
    })),
  };
}

/** A value that fits a JSON schema, as far as it says types: every text in it is `answer`. */
export function fillSchema(schema: unknown, answer: string): unknown {
  if (typeof schema !== "object" || schema === null) return answer;
  const { type, properties, items, enum: allowed } = schema as Record<string, unknown>;
  if (Array.isArray(allowed)) return allowed[0];
  switch (type) {
    case "object":
      return Object.fromEntries(
        Object.entries(properties ?? {}).map(([name, inner]) => [name, fillSchema(inner, answer)]),
      );
    case "array":
      return [fillSchema(items, answer)];
    case "number":
    case "integer":
      return answer.length;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return answer;
  }
}

function describe({ url, title, author, publishedDate }: Page): Record<string, unknown> {
  return { id: url, url, title, publishedDate, author };
}

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
